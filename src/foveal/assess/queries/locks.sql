SELECT kind FROM event
WHERE kind IN ('lock', 'unlock') AND (topic IS NULL OR topic = ?)
ORDER BY number DESC LIMIT 1
