# Writes a tree or a forest of R as JSON, which orderless.read reads.
#
#   source("orderless.R")
#   orderless_json(model, "model.json")
#
# Known: rpart, constant trees of partykit (ctree, as.party(...)), ranger. Nothing but
# base R and the model's own package is needed. Complete rows get the class or the number that
# predict(model, newdata) gives, to the last bit; what R decides at random is refused. ranger does not
# keep the levels of factors: give the training data, orderless_json(model, file, data = rows).

orderless_json <- function(model, file = "", data = NULL) {
  known <- c("rpart", "constparty", "ranger")
  kind <- known[vapply(known, function(name) inherits(model, name), TRUE)]
  if (inherits(model, "C5.0"))
    stop("C5.0 is read by way of partykit: orderless_json(partykit::as.party(model), file)")
  if (inherits(model, "party") && !length(kind))
    stop("trees with a model in each leaf (lmtree, glmtree, mob) are not read: leaves must be constant")
  if (!length(kind))
    stop("cannot write a ", class(model)[1], ": known are ", paste(known, collapse = ", "))
  parts <- switch(kind[1], rpart = .ol_rpart(model), constparty = .ol_partykit(model),
                  ranger = .ol_ranger(model, data))
  library <- c(rpart = "rpart", constparty = "partykit", ranger = "ranger")[[kind[1]]]
  head <- list(format = "orderless-r", version = 1L, library = library,
               library_version = as.character(utils::packageVersion(library)))
  text <- .ol_text(c(head, parts, list(end = TRUE)))
  # Bytes as they are: a console of another encoding does not touch them.
  if (identical(file, "")) cat(text, "\n", sep = "") else {
    connection <- base::file(file, "wb")
    on.exit(close(connection))
    writeBin(charToRaw(paste0(text, "\n")), connection)
  }
  invisible(text)
}

# -- JSON ------------------------------------------------------------------------------------------

.ol_string <- function(x) {
  x <- enc2utf8(as.character(x))
  if (any(!validUTF8(x))) stop("a name or level is not valid text")
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  for (code in 1:31)
    x <- gsub(intToUtf8(code), sprintf("\\u%04x", code), x, fixed = TRUE)
  paste0("\"", x, "\"")
}

.ol_text <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    inside <- vapply(x, .ol_text, "")
    if (is.null(names(x))) return(paste0("[", paste(inside, collapse = ","), "]"))
    return(paste0("{", paste(.ol_string(names(x)), inside, sep = ":", collapse = ","), "}"))
  }
  inside <- if (is.character(x)) .ol_string(x)
            else if (is.logical(x)) ifelse(is.na(x), "null", ifelse(x, "true", "false"))
            else ifelse(is.finite(x), sprintf("%.17g", as.numeric(x)), "null")
  if (length(x) == 1 && !inherits(x, "AsIs")) inside
  else paste0("[", paste(inside, collapse = ","), "]")
}

# -- nodes -----------------------------------------------------------------------------------------

.ol_most <- 200000L  # nodes of one tree

# Nodes are kept as they come; a split has its children's places filled in afterwards.
.ol_nodes <- function() {
  own <- new.env(parent = emptyenv())
  own$n <- 0L
  own$nodes <- vector("list", 64L)
  own
}

.ol_add <- function(own, node) {
  if (own$n >= .ol_most) stop("the tree has more than ", .ol_most, " nodes")
  own$n <- own$n + 1L
  if (own$n > length(own$nodes)) own$nodes <- c(own$nodes, vector("list", own$n))
  own$nodes[[own$n]] <- node
  own$n
}

.ol_children <- function(own, at, yes, no) {
  own$nodes[[at]]$yes <- yes - 1L
  own$nodes[[at]]$no <- no - 1L
}

.ol_done <- function(own) own$nodes[seq_len(own$n)]

# "yes" is below (or at most) the number.
.ol_number_test <- function(feature, relation, value) {
  if (!is.finite(value)) stop("a split has no finite number")
  list(feature = feature - 1L, relation = relation, value = value)
}

.ol_set_test <- function(feature, levels)
  list(feature = feature - 1L, relation = "in", levels = I(as.integer(levels) - 1L))

.ol_feature <- function(name, kind, levels = NULL)
  c(list(name = name, kind = kind), if (!is.null(levels)) list(levels = I(as.character(levels))))

.ol_of_column <- function(name, x) {
  if (is.factor(x)) .ol_feature(name, "factor", levels(x))
  else if (is.character(x)) .ol_feature(name, "factor", sort(unique(x)))
  else if (is.logical(x)) .ol_feature(name, "logical")
  else if (inherits(x, c("Date", "POSIXt", "difftime")))
    stop("the column ", name, " holds dates or times: turn it into numbers first")
  else if (is.numeric(x)) .ol_feature(name, "numeric")
  else stop("the column ", name, " is a ", class(x)[1], ", which is not read")
}

# A formula may compute columns (log(x)); what it computes is not in the rows that people have.
.ol_plain_terms <- function(terms) {
  if (!is.null(attr(terms, "offset"))) stop("a model with an offset is not read")
  names <- attr(terms, "term.labels")
  plain <- vapply(names, function(n) is.name(tryCatch(str2lang(n), error = function(e) 1)), TRUE)
  if (any(!plain))
    stop("the formula computes ", paste(names[!plain], collapse = ", "),
         ": make it a column of the data first, and fit the model again")
  gsub("^`|`$", "", names)
}

# -- rpart -----------------------------------------------------------------------------------------

.ol_rpart <- function(model) {
  if (!model$method %in% c("class", "anova", "poisson"))
    stop("rpart's method ", model$method, " is not read: class, anova and poisson are")
  frame <- model$frame
  names <- .ol_plain_terms(model$terms)
  levels <- attr(model, "xlevels")
  classes <- attr(model, "ylevels")
  types <- attr(model$terms, "dataClasses")
  features <- lapply(names, function(name) {
    if (!is.null(levels[[name]])) .ol_feature(name, "factor", levels[[name]])
    else if (identical(types[[name]], "logical")) .ol_feature(name, "logical")
    else if (types[[name]] %in% c("numeric", "integer")) .ol_feature(name, "numeric")
    else stop("the column ", name, " is of the kind ", types[[name]], ", which is not read")
  })
  own <- .ol_nodes()
  .ol_rpart_grow(model, own, 1, lapply(features, function(f) seq_along(f$levels)), features)
  list(task = if (model$method == "class") "classification" else "regression",
       features = features, classes = if (model$method == "class") I(classes),
       surrogates = model$control$usesurrogate > 0 && any(frame$nsurrogate > 0),
       trees = list(.ol_done(own)))
}

# A level that was not there when the node was made is sent on by the surrogate splits, then to the
# larger side, as in pred_rpart.c; on the way, which levels can still come is kept in "left".
.ol_rpart_grow <- function(model, own, number, left, features) {
  frame <- model$frame
  row <- match(number, as.integer(row.names(frame)))
  if (is.na(row)) stop("the rpart object lacks node ", number)
  if (frame$var[row] == "<leaf>") return(.ol_add(own, .ol_rpart_leaf(model, row)))
  inner <- frame$var != "<leaf>"
  first <- cumsum(c(1, ifelse(inner, 1 + frame$ncompete + frame$nsurrogate, 0)))[row]
  use <- model$control$usesurrogate
  surrogates <- if (use > 0) seq_len(frame$nsurrogate[row]) + frame$ncompete[row] else integer()
  .ol_rpart_try(model, own, number, row, c(first, first + surrogates), left, features)
}

.ol_rpart_try <- function(model, own, number, row, splits, left, features) {
  go <- function(side, left) .ol_rpart_grow(model, own, 2 * number + side, left, features)
  if (!length(splits)) {
    counts <- model$frame$n[match(2 * number + 0:1, as.integer(row.names(model$frame)))]
    if (model$control$usesurrogate > 1 && counts[1] != counts[2])
      return(go(as.integer(counts[1] < counts[2]), left))
    return(.ol_add(own, .ol_rpart_leaf(model, row)))
  }
  split <- model$splits[splits[1], ]
  feature <- match(rownames(model$splits)[splits[1]], vapply(features, `[[`, "", "name"))
  if (is.na(feature)) stop("a split is on a column that the formula does not name")
  levels <- features[[feature]]$levels
  if (split[["ncat"]] < 2) {
    below <- if (split[["ncat"]] < 0) 0L else 1L
    if (is.null(levels)) {
      at <- .ol_add(own, .ol_number_test(feature, "<", split[["index"]]))
      .ol_children(own, at, go(below, left), go(1L - below, left))
      return(at)
    }
    side <- ifelse(seq_along(levels) < split[["index"]], below, 1L - below)  # an ordered factor
  } else {
    side <- c(0L, NA, 1L)[model$csplit[split[["index"]], seq_along(levels)]]
  }
  branch <- function(which, grow) {
    can <- intersect(left[[feature]], which)
    list(can = can, grow = function() { left[[feature]] <- can; grow(left) })
  }
  branches <- list(branch(which(side %in% 0L), function(l) go(0L, l)),
                   branch(which(side %in% 1L), function(l) go(1L, l)),
                   branch(which(is.na(side)), function(l)
                     .ol_rpart_try(model, own, number, row, splits[-1], l, features)))
  .ol_chain(own, feature, Filter(function(b) length(b$can) > 0, branches))
}

# Ask one set of levels after the other; the last needs no question.
.ol_chain <- function(own, feature, branches) {
  if (length(branches) == 1) return(branches[[1]]$grow())
  at <- .ol_add(own, .ol_set_test(feature, branches[[1]]$can))
  yes <- branches[[1]]$grow()
  .ol_children(own, at, yes, .ol_chain(own, feature, branches[-1]))
  at
}

.ol_rpart_leaf <- function(model, row) {
  frame <- model$frame
  if (model$method != "class") {
    value <- frame$yval[row]
    return(list(number = value))
  }
  k <- length(attr(model, "ylevels"))
  list(class = as.integer(frame$yval[row]) - 1L, shares = I(unname(frame$yval2[row, 1 + k + 1:k])))
}

# -- partykit --------------------------------------------------------------------------------------

.ol_partykit <- function(model) {
  names <- .ol_plain_terms(stats::delete.response(model$terms))
  data <- model$data
  response <- model$fitted[["(response)"]]
  if (is.data.frame(response) || !(is.factor(response) || is.numeric(response)) ||
      inherits(response, "Surv"))
    stop("the response must be one factor or one number")
  columns <- names(data)
  features <- lapply(names, function(name) .ol_of_column(name, data[[name]]))
  ids <- partykit::nodeids(model, terminal = TRUE)
  said <- partykit::predict_party(model, id = ids, type = "response")
  shares <- if (is.factor(response))
    matrix(partykit::predict_party(model, id = ids, type = "prob"), nrow = length(ids))
  own <- .ol_nodes()
  leaf <- function(id) {
    at <- match(id, ids)
    if (is.factor(response))
      list(class = as.integer(said[at]) - 1L, shares = I(as.numeric(shares[at, ])))
    else list(number = as.numeric(said[at]))
  }
  grow <- function(node, left) {
    if (partykit::is.terminal(node)) return(.ol_add(own, leaf(partykit::id_node(node))))
    split <- partykit::split_node(node)
    kids <- partykit::kids_node(node)
    feature <- match(columns[partykit::varid_split(split)], names)
    if (is.na(feature)) stop("a split is on a column that the formula does not name")
    breaks <- partykit::breaks_split(split)
    index <- partykit::index_split(split)
    levels <- features[[feature]]$levels
    right <- partykit::right_split(split)
    if (is.null(breaks) || !is.null(levels)) {
      side <- if (is.null(breaks)) seq_along(levels)
              else .bincode(as.numeric(seq_along(levels)), unique(c(-Inf, breaks, Inf)), right = right)
      if (!is.null(index)) side <- index[side]
      can <- left[[feature]]
      if (anyNA(side[can]))
        stop("the level ", levels[can[is.na(side[can])][1]], " of ", names[feature],
             " was not there when node ", partykit::id_node(node), " was made: partykit sends it",
             " to a side at random, which is no function; drop the level, or merge levels")
      branches <- lapply(seq_along(kids), function(k) {
        own_levels <- intersect(can, which(side == k))
        list(can = own_levels, grow = function() {
          left[[feature]] <- own_levels
          grow(kids[[k]], left)
        })
      })
      return(.ol_chain(own, feature, Filter(function(b) length(b$can) > 0, branches)))
    }
    index <- if (is.null(index)) seq_len(length(breaks) + 1L) else index
    relation <- if (right) "<=" else "<"
    ask <- function(i) {
      if (i > length(breaks)) return(grow(kids[[index[i]]], left))
      at <- .ol_add(own, .ol_number_test(feature, relation, breaks[i]))
      yes <- grow(kids[[index[i]]], left)
      .ol_children(own, at, yes, ask(i + 1L))
      at
    }
    ask(1L)
  }
  grow(partykit::node_party(model), lapply(features, function(f) seq_along(f$levels)))
  list(task = if (is.factor(response)) "classification" else "regression", features = features,
       classes = if (is.factor(response)) I(levels(response)), trees = list(.ol_done(own)))
}

# -- ranger ----------------------------------------------------------------------------------------

.ol_ranger <- function(model, data) {
  forest <- model$forest
  if (is.null(forest)) stop("the ranger object has no forest: fit it with write.forest = TRUE")
  type <- forest$treetype
  if (!type %in% c("Classification", "Regression", "Probability estimation"))
    stop("a ranger forest of the type ", type, " is not read")
  names <- forest$independent.variable.names
  if (!is.null(data) && !all(names %in% colnames(data)))
    stop("data lacks the column ", setdiff(names, colnames(data))[1])
  features <- lapply(seq_along(names), function(i) {
    levels <- forest$covariate.levels[[i]]
    x <- if (is.null(data)) NULL else as.data.frame(data)[[names[i]]]
    if (!is.null(levels)) .ol_feature(names[i], "factor", levels)
    else if (is.character(x))
      stop("the column ", names[i], " is text, of which ranger keeps no levels: make it a factor")
    else if (is.factor(x)) .ol_of_column(names[i], x)
    else .ol_feature(names[i], "numeric")
  })
  classes <- if (type == "Regression") NULL
             else if (is.null(forest$levels)) sort(forest$class.values)
             else forest$levels[sort(forest$class.values)]
  trees <- lapply(seq_len(forest$num.trees), function(t) .ol_ranger_tree(forest, t, features, type))
  list(task = if (type == "Regression") "regression" else "classification", features = features,
       classes = if (!is.null(classes)) I(classes), forest = TRUE,
       votes = type == "Classification", trees = trees)
}

.ol_ranger_tree <- function(forest, t, features, type) {
  children <- forest$child.nodeIDs[[t]]
  variable <- forest$split.varIDs[[t]]
  value <- forest$split.values[[t]]
  lapply(seq_along(variable), function(i) {
    yes <- children[[1]][i]
    if (yes == 0 && children[[2]][i] == 0) {
      if (type == "Regression") return(list(number = value[i]))
      if (type == "Classification")
        return(list(class = match(value[i], sort(forest$class.values)) - 1L))
      shares <- as.numeric(forest$terminal.class.counts[[t]][[i]])
      return(list(shares = I(shares[order(forest$class.values)])))
    }
    feature <- variable[i] + 1L
    own <- features[[feature]]$levels
    test <- if (!forest$is.ordered[feature]) {
      k <- if (is.null(own))
        stop("ranger keeps no levels of ", features[[feature]]$name,
             ": give the training data, orderless_json(model, file, data = rows)")
      else length(own)
      right <- floor(value[i] / 2^(seq_len(k) - 1)) %% 2 == 1
      .ol_set_test(feature, which(!right))
    } else if (!is.null(own)) .ol_set_test(feature, which(seq_along(own) <= value[i]))
    else .ol_number_test(feature, "<=", value[i])
    c(test, list(yes = yes, no = children[[2]][i]))
  })
}
