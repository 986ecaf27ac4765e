-- An event of a topic or document that is not there, or beyond its text: by document, because what
-- comes after a long text in a row is slow to read.
SELECT number FROM (
  SELECT max(number) AS number, topic, doc, max(max(coalesce(start, 0), coalesce(stop, 0))) AS reach
  FROM event GROUP BY topic, doc
) AS place
WHERE (topic IS NOT NULL AND topic NOT IN (SELECT topic FROM topic))
  OR (doc IS NOT NULL AND reach > coalesce(
    (SELECT length FROM document WHERE document.doc = place.doc), -1))
LIMIT 1
