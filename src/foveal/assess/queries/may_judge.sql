SELECT 1 FROM assignment WHERE topic = ?1 AND assessor = ?2
UNION ALL
SELECT 1 FROM assessor JOIN topic
WHERE name = ?2 AND role = 'adjudicator' AND topic = ?1
