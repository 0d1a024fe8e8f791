SELECT "t".*,
'yes' AS "prediction"
FROM "patients" "t"
