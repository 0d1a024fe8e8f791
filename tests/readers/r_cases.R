# Fits models of R on random data, and writes each as JSON beside rows and what R predicts for them.
#   Rscript r_cases.R orderless.R FOLDER [ROWS]
arguments <- commandArgs(TRUE)
source(arguments[1])
folder <- arguments[2]
suppressMessages({library(rpart); library(partykit); library(ranger)})
set.seed(7)
n <- 600
draw <- function(n) data.frame(
  x = round(rnorm(n), 2), `y y` = rexp(n), f = factor(sample(letters[1:6], n, TRUE), levels = letters[1:6]),
  o = factor(sample(c("low", "mid", "hoch \"ä\""), n, TRUE), levels = c("low", "mid", "hoch \"ä\""), ordered = TRUE),
  l = sample(c(TRUE, FALSE), n, TRUE), i = as.numeric(sample(0:9, n, TRUE)), check.names = FALSE)
d <- draw(n)
d$class <- factor(ifelse(d$f %in% c("a", "c"), ifelse(d$x > 0.1, "p", "q"),
  ifelse(d$o == "low" & d$l, "r", ifelse(d$`y y` > 1, "p", ifelse(d$i > 5, "q", "r")))))
noisy <- runif(n) < 0.15
d$class[noisy] <- sample(d$class, sum(noisy))
d$number <- d$x * (d$f %in% c("a", "b")) + d$i + rnorm(n) / 3
d$f[sample(which(d$x > 0.5 & d$f == "e"))] <- "a"  # a level that some nodes do not see
p <- setdiff(names(d), c("class", "number"))

rows <- rbind(d[p], draw(if (length(arguments) > 2) as.integer(arguments[3]) else 3000))
digits <- function(v) if (is.numeric(v)) ifelse(is.na(v), "", sprintf("%.17g", v)) else as.character(v)

# Rows at every number that the file names, and on the floats beside it.
numbers <- function(json) {
  found <- regmatches(json, gregexpr("\"feature\":[0-9]+,\"relation\":\"<=?\",\"value\":[-+0-9.e]+", json))[[1]]
  data.frame(at = as.integer(sub("\"feature\":([0-9]+).*", "\\1", found)) + 1L,
             value = as.numeric(sub(".*\"value\":", "", found)))
}
features <- function(json) {
  found <- regmatches(json, gregexpr("\"name\":\"[^\"]+\"", json))[[1]]
  gsub("\"name\":|\"", "", found)
}
beside <- function(value) {
  step <- max(abs(value), 2^-1022) * 2^-53
  c(value, value + step, value - step, value + 2 * step, value - 2 * step)
}
write_case <- function(name, model, predicted, rows = NULL, infinite = TRUE, data = NULL) {
  json <- orderless_json(model, file.path(folder, paste0(name, ".json")), data = data)
  rows <- if (is.null(rows)) get("rows", globalenv()) else rows
  cuts <- unique(numbers(json))
  if (nrow(cuts) > 150) cuts <- cuts[seq_len(150), ]
  for (k in seq_len(nrow(cuts))) {
    more <- rows[sample(nrow(rows), 5), ]
    column <- features(json)[cuts$at[k]]
    if (is.numeric(more[[column]])) more[[column]] <- beside(cuts$value[k])
    rows <- rbind(rows, more)
  }
  extreme <- rows[1:8, ]
  extreme$x <- c(1e300, -1e300, 5e-324, -0.0, 2^53, 1e-310, if (infinite) c(Inf, -Inf) else c(1, -1))
  rows <- rbind(rows, extreme)
  rownames(rows) <- NULL
  out <- as.data.frame(lapply(rows, digits), check.names = FALSE)
  said <- predicted(rows)
  said <- if (is.matrix(said) && ncol(said) > 1) as.data.frame(said, check.names = FALSE)
          else data.frame(predicted = as.vector(if (is.factor(said)) as.character(said) else said))
  out <- cbind(out, as.data.frame(lapply(said, digits), check.names = FALSE))
  connection <- file(file.path(folder, paste0(name, ".csv")), "w", encoding = "UTF-8")
  write.csv(out, connection, row.names = FALSE, na = "")
  close(connection)
}
formula <- function(y) reformulate(sprintf("`%s`", p), y)
deep <- function(...) rpart.control(minsplit = 4, cp = 0.001, ...)

m <- rpart(formula("class"), d, control = deep()); write_case("rpart-class", m, function(r) predict(m, r, type = "class"))
m2 <- rpart(formula("class"), d, control = deep(usesurrogate = 0)); write_case("rpart-stops", m2, function(r) predict(m2, r, type = "class"))
m3 <- rpart(formula("class"), d, control = deep(maxsurrogate = 0), parms = list(prior = c(.2, .3, .5))); write_case("rpart-prior", m3, function(r) predict(m3, r, type = "class"))
m4 <- rpart(formula("number"), d, control = deep(), weights = runif(n)); write_case("rpart-number", m4, function(r) predict(m4, r))
few <- d[d$f != "d", ]  # level d exists and no row has it
m5 <- rpart(formula("class"), few, control = deep(minbucket = 3)); write_case("rpart-unseen", m5, function(r) predict(m5, r, type = "class"))
d$count <- rpois(n, exp(0.3 * d$x)); m6 <- rpart(formula("count"), d, method = "poisson", control = deep()); write_case("rpart-poisson", m6, function(r) predict(m6, r))
m7 <- rpart(class ~ x, d, control = rpart.control(cp = 1)); write_case("rpart-constant", m7, function(r) predict(m7, r, type = "class"))

full <- d; full$f <- factor(full$f); k <- c("x", "y y", "o", "i")
plain <- reformulate(sprintf("`%s`", k), "class")
c1 <- partykit::ctree(plain, d, control = partykit::ctree_control(alpha = 0.4)); write_case("partykit-class", c1, function(r) predict(c1, r))
c2 <- partykit::ctree(number ~ x + f + o + i, d, control = partykit::ctree_control(alpha = 0.2, maxdepth = 3)); write_case("partykit-number", c2, function(r) predict(c2, r))
small <- rpart(formula("class"), d, control = rpart.control(maxdepth = 2, maxsurrogate = 0)); c3 <- partykit::as.party(small)
write_case("partykit-rpart", c3, function(r) predict(c3, r))

answers <- function(m, r) predict(m, r, num.threads = 1)$predictions
r1 <- ranger(x = d[p], y = d$class, num.trees = 7, max.depth = 5, seed = 1); write_case("ranger-votes", r1, function(r) answers(r1, r), data = d)
r2 <- ranger(x = d[p], y = d$number, num.trees = 9, max.depth = 6, seed = 2, respect.unordered.factors = "partition"); write_case("ranger-number", r2, function(r) answers(r2, r), data = d)
r3 <- ranger(x = d[p], y = d$class, num.trees = 10, max.depth = 4, seed = 3, probability = TRUE, respect.unordered.factors = "order"); write_case("ranger-shares", r3, function(r) answers(r3, r), data = d)
r4 <- ranger(x = d[p], y = d$class, num.trees = 1, max.depth = 4, seed = 3, respect.unordered.factors = "partition"); write_case("ranger-one", r4, function(r) answers(r4, r), data = d)

refused <- function(model, ...) tryCatch({ orderless_json(model, tempfile(), ...); "nothing" }, error = conditionMessage)
writeLines(c(
  refused(lm(x ~ i, d)), refused(rpart(class ~ log(`y y`), d)), refused(ranger(class ~ x, d, num.trees = 2, write.forest = FALSE)),
  refused(partykit::lmtree(number ~ x | i, d)), refused(r2), refused({ m$method <- "exp"; m }),
  refused(structure(list(), class = "C5.0"))), file.path(folder, "refused.txt"))
