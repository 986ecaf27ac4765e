-- An event with an unknown topic or document, or beyond its text: by document, because columns
-- after a long text in a row are slow to read.
SELECT number FROM (
  SELECT max(number) AS number, topic, doc, max(max(coalesce(start, 0), coalesce(stop, 0))) AS furthest
  FROM event GROUP BY topic, doc
) AS events
WHERE (topic IS NOT NULL AND topic NOT IN (SELECT topic FROM topic))
  OR (doc IS NOT NULL AND furthest > coalesce(
    (SELECT length FROM document WHERE document.doc = events.doc), -1))
LIMIT 1
