# Nested cross-validation by an R package, one thread: Rscript nested.R FOLDER PACKAGE
# FOLDER has x.csv and y.csv, the outer fold of every row, and for every outer fold (and last, for all rows) the inner
# fold of every training row; r_peers.py writes them and reads answer.json. Reading and loading are not timed.
words <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(words[2], character.only = TRUE))
table_of <- function(name) as.matrix(read.csv(file.path(words[1], name), header = FALSE))
x <- table_of("x.csv"); y <- table_of("y.csv")[, 1]; outer <- table_of("outer.csv")[, 1]; inner <- table_of("inner.csv")
task <- read.csv(file.path(words[1], "task.csv")); values <- table_of("values.csv")
colnames(x) <- paste0("x", seq_len(ncol(x))); rownames(x) <- NULL

squared <- function(predicted, truth) mean((predicted - truth)^2)
log_loss <- function(shares, truth) -mean(log(pmax(shares[cbind(seq_along(truth), match(truth, colnames(shares)))], 1e-15)))
rows_of <- function(fold) which(!is.na(inner[, fold]))

# A penalty of scikit-learn in glmnet's unit, which is per row.
penalties <- function(rows) sort(switch(task$penalty, per_row = values[, 1], sum = values[, 1] / rows, inverse = 1 / (rows * values[, 1])), decreasing = TRUE)

by_glmnet <- function(rows, fold, test) {
  target <- if (task$loss == "log") factor(y[rows]) else y[rows]
  family <- if (task$loss != "log") "gaussian" else if (length(unique(y)) > 2) "multinomial" else "binomial"
  found <- cv.glmnet(x[rows, ], target, foldid = as.integer(factor(inner[rows, fold])), lambda = penalties(length(rows)), alpha = task$share,
                     family = family, standardize = FALSE, type.measure = if (task$loss == "log") "deviance" else "mse", keep = FALSE)
  if (is.null(test)) return(NA)
  answer <- predict(found, x[test, ], s = "lambda.min", type = "response")
  if (family == "gaussian") return(squared(answer, y[test]))
  if (family == "multinomial") return(log_loss(answer[, , 1], as.character(y[test])))
  shares <- cbind(1 - answer[, 1], answer[, 1]); colnames(shares) <- levels(target)
  log_loss(shares, as.character(y[test]))
}

# All numbers of trees are read from the largest forest.
by_ranger <- function(rows, fold, test) {
  trees <- sort(unique(values[, 3])); settings <- unique(values[, 1:2, drop = FALSE])
  grow <- function(at, setting, count) ranger(y = y[at], x = x[at, ], num.trees = count, mtry = max(1, floor(setting[2] * ncol(x))),
                                              max.depth = setting[1], min.node.size = 1, num.threads = 1, seed = 1)
  losses <- matrix(0, nrow(settings), length(trees))
  for (part in unique(inner[rows, fold])) {
    held <- rows[inner[rows, fold] == part]; kept <- rows[inner[rows, fold] != part]
    for (s in seq_len(nrow(settings))) {
      forest <- grow(kept, settings[s, ], max(trees))
      for (t in seq_along(trees)) losses[s, t] <- losses[s, t] +
        squared(predict(forest, x[held, ], num.trees = trees[t], num.threads = 1)$predictions, y[held])
    }
  }
  best <- which(losses == min(losses), arr.ind = TRUE)[1, ]
  if (is.null(test)) return(NA)
  forest <- grow(rows, settings[best[1], ], trees[best[2]])
  squared(predict(forest, x[test, ], num.threads = 1)$predictions, y[test])
}

# All k from one search of a training set.
by_FNN <- function(rows, fold, test) {
  most <- max(values[, 1])
  answers <- function(kept, held) {
    near <- get.knnx(x[kept, ], x[held, ], k = most)$nn.index
    sums <- t(apply(matrix(y[kept][near], nrow(near)), 1, cumsum))
    sweep(sums, 2, seq_len(most), "/")
  }
  losses <- 0
  for (part in unique(inner[rows, fold])) {
    held <- rows[inner[rows, fold] == part]; kept <- rows[inner[rows, fold] != part]
    losses <- losses + colMeans((answers(kept, held) - y[held])^2)
  }
  if (is.null(test)) return(NA)
  squared(answers(rows, test)[, which.min(losses)], y[test])
}

tuned <- list(glmnet = by_glmnet, ranger = by_ranger, FNN = by_FNN)[[words[2]]]
folds <- seq_len(task$folds); everything <- ncol(inner)
invisible(tuned(head(rows_of(1), Inf), 1, which(outer == 0)))  # the first call loads what it needs
started <- proc.time()
losses <- vapply(folds, function(fold) tuned(rows_of(fold), fold, which(outer == fold - 1)), 0)
nested <- proc.time() - started
started <- proc.time()
if (task$final) tuned(rows_of(everything), everything, NULL)
final <- proc.time() - started
seconds <- function(spent) sum(spent[1:2])
cat(sprintf('{"nested": %.6f, "final": %.6f, "losses": [%s]}', seconds(nested), seconds(final), paste(sprintf("%.12g", losses), collapse = ", ")),
    file = file.path(words[1], "answer.json"))
