SELECT "t".*,
CASE
  WHEN (CAST("<script>alert(1)</script>" AS DOUBLE) = 0 AND CAST("| **bold** | [x](http://a.b) $\alpha$ #1_2^3~& 50%" AS DOUBLE) = 1)
    OR (CAST("<script>alert(1)</script>" AS DOUBLE) = 0 AND CAST("line
break[31m‮" AS DOUBLE) = 1)
    OR (CAST("<script>alert(1)</script>" AS DOUBLE) = 0 AND CAST("größe μ 中文 🙂 [b]" AS DOUBLE) = 1)
    OR (CAST("<script>alert(1)</script>" AS DOUBLE) = 0 AND CAST("a""b'c`d`" AS DOUBLE) = 1)
    OR (CAST(" --  spaces " AS TEXT) IN ('<script>alert(1)</script>', 'a"b''c`d`', 'line
break[31m‮') AND CAST("'''""""""\" AS DOUBLE) = 0 AND CAST("<script>alert(1)</script>" AS DOUBLE) = 0) THEN '<b>&amp;'
  WHEN CAST("<script>alert(1)</script>" AS DOUBLE) = 1
    OR (CAST(" --  spaces " AS TEXT) IN ('| **bold** | [x](http://a.b) $\alpha$ #1_2^3~& 50%', 'größe μ 中文 🙂 [b]', '''''''"""\', ' --  spaces ', '', ' ') AND CAST("a""b'c`d`" AS DOUBLE) = 0 AND CAST("größe μ 中文 🙂 [b]" AS DOUBLE) = 0 AND CAST("line
break[31m‮" AS DOUBLE) = 0 AND CAST("| **bold** | [x](http://a.b) $\alpha$ #1_2^3~& 50%" AS DOUBLE) = 0)
    OR (CAST("'''""""""\" AS DOUBLE) = 1 AND CAST("a""b'c`d`" AS DOUBLE) = 0 AND CAST("größe μ 中文 🙂 [b]" AS DOUBLE) = 0 AND CAST("line
break[31m‮" AS DOUBLE) = 0 AND CAST("| **bold** | [x](http://a.b) $\alpha$ #1_2^3~& 50%" AS DOUBLE) = 0) THEN '| \ {x}
'
END AS "prediction"
FROM "patients" "t"
