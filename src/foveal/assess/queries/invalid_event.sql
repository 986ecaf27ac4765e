-- The first event that could not be shown or replayed.
SELECT number FROM event
WHERE kind NOT IN ({kinds})
  OR (doc IS NULL AND kind NOT IN ('keyword', 'lock', 'unlock'))
  OR (topic IS NULL AND kind NOT IN ('lock', 'unlock'))
  OR (kind IN ('mark', 'unmark') AND (start IS NULL OR stop IS NULL OR stop <= start))
  OR (kind = 'entry' AND start IS NULL) OR start < 0
  OR at_client NOT BETWEEN 0 AND {latest} OR at_server NOT BETWEEN 0 AND {latest}
LIMIT 1
