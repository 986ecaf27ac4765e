SELECT 1 FROM pool WHERE topic = ?1 AND doc = ?2
UNION ALL
SELECT 1 FROM event
WHERE assessor = ?3 AND topic = ?1 AND doc = ?2 AND kind = 'add-document'
UNION ALL
-- An adjudicator may judge documents that assessors added.
SELECT 1 FROM assessor AS adjudicator JOIN event
  ON event.kind = 'add-document' AND event.assessor IN (SELECT name FROM assessor)
  AND topic = ?1 AND doc = ?2
WHERE adjudicator.name = ?3 AND adjudicator.role = 'adjudicator'
LIMIT 1
