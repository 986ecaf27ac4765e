SELECT 1 FROM pool WHERE topic = ?1 AND doc = ?2
UNION ALL
SELECT 1 FROM event
WHERE assessor = ?3 AND topic = ?1 AND doc = ?2 AND kind = 'add-document'
UNION ALL
-- What an assessor has added, an adjudicator may judge as well.
SELECT 1 FROM assessor AS own JOIN event
  ON event.kind = 'add-document' AND event.assessor IN (SELECT name FROM assessor)
  AND topic = ?1 AND doc = ?2
WHERE own.name = ?3 AND own.role = 'adjudicator'
LIMIT 1
