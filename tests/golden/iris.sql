SELECT "t".*,
CASE
  WHEN CAST("petal width (cm)" AS DOUBLE) <= 0.8000000417232512E0 THEN 'setosa'
  WHEN (NULLIF(CAST("petal width (cm)" AS DOUBLE), 'NaN') > 0.8000000417232512E0 AND CAST("petal width (cm)" AS DOUBLE) <= 1.7500000596046448E0) THEN 'versicolor'
  WHEN NULLIF(CAST("petal width (cm)" AS DOUBLE), 'NaN') > 1.7500000596046448E0 THEN 'virginica'
END AS "prediction"
FROM "patients" "t"
