-- A document may have been added twice, on two machines, or although the pool has it.
SELECT topic, doc, assessor, order_seed, 0 AS added, place, main
  FROM {tables} USING (topic) WHERE true{where}
UNION ALL
SELECT topic, doc, assessor, 0, 1, min(number), 0
  FROM event WHERE kind = 'add-document'{where} AND NOT EXISTS (
    SELECT 1 FROM pool WHERE pool.topic = event.topic AND pool.doc = event.doc
  )
  GROUP BY topic, doc, assessor
ORDER BY topic, added, place, main DESC, assessor
