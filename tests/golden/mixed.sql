SELECT "t".*,
CASE
  WHEN (NULLIF(CAST("age" AS DOUBLE), 'NaN') > 60 AND CAST("color" AS TEXT) NOT IN ('green'))
    OR (NULLIF(CAST("age" AS DOUBLE), 'NaN') > 60 AND NULLIF(CAST("lab value" AS DOUBLE), 'NaN') > 2.5000001192092896E0)
    OR (CAST("age" AS DOUBLE) <= 24 AND NULLIF(CAST("lab value" AS DOUBLE), 'NaN') > 0.09999999776482582E0 AND CAST("smoker" AS DOUBLE) = 1)
    OR (CAST("color" AS TEXT) IN ('green') AND NULLIF(CAST("lab value" AS DOUBLE), 'NaN') > 2.5000001192092896E0 AND CAST("smoker" AS DOUBLE) = 1)
    OR (NULLIF(CAST("age" AS DOUBLE), 'NaN') > 24 AND CAST("color" AS TEXT) IN ('green') AND NULLIF(CAST("lab value" AS DOUBLE), 'NaN') > 2.5000001192092896E0) THEN 'high'
  WHEN (CAST("age" AS DOUBLE) <= 24 AND CAST("lab value" AS DOUBLE) <= 0.09999999776482582E0)
    OR (CAST("age" AS DOUBLE) <= 24 AND CAST("color" AS TEXT) NOT IN ('red', 'blue') AND CAST("smoker" AS DOUBLE) = 0)
    OR (CAST("age" AS DOUBLE) <= 60 AND CAST("color" AS TEXT) NOT IN ('red', 'green', 'blue') AND CAST("smoker" AS DOUBLE) = 0)
    OR (CAST("age" AS DOUBLE) <= 60 AND CAST("color" AS TEXT) NOT IN ('green') AND CAST("lab value" AS DOUBLE) <= 0.09999999776482582E0 AND CAST("smoker" AS DOUBLE) = 0)
    OR (NULLIF(CAST("age" AS DOUBLE), 'NaN') > 24 AND CAST("age" AS DOUBLE) <= 60 AND CAST("color" AS TEXT) NOT IN ('green') AND CAST("smoker" AS DOUBLE) = 0) THEN 'low'
  WHEN (NULLIF(CAST("age" AS DOUBLE), 'NaN') > 24 AND CAST("color" AS TEXT) IN ('green') AND CAST("lab value" AS DOUBLE) <= 2.5000001192092896E0)
    OR (CAST("age" AS DOUBLE) <= 24 AND CAST("color" AS TEXT) IN ('red', 'blue') AND NULLIF(CAST("lab value" AS DOUBLE), 'NaN') > 0.09999999776482582E0 AND CAST("smoker" AS DOUBLE) = 0)
    OR (NULLIF(CAST("age" AS DOUBLE), 'NaN') > 24 AND CAST("age" AS DOUBLE) <= 60 AND CAST("color" AS TEXT) NOT IN ('green') AND CAST("smoker" AS DOUBLE) = 1)
    OR (NULLIF(CAST("age" AS DOUBLE), 'NaN') > 24 AND CAST("age" AS DOUBLE) <= 60 AND CAST("lab value" AS DOUBLE) <= 2.5000001192092896E0 AND CAST("smoker" AS DOUBLE) = 1) THEN 'middle'
END AS "prediction"
FROM "patients" "t"
