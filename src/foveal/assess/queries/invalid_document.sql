SELECT 1 FROM document
WHERE typeof(doc) <> 'text' OR typeof(text) <> 'text' OR typeof(length) <> 'integer'
  OR typeof(sha256) <> 'text' OR typeof(blocks) <> 'text'
LIMIT 1
