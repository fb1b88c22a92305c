# Rows and answers of Passerelle in R. Rows need nothing but R itself, answers the package jsonlite.

gateway <- Sys.getenv("GATEWAY_URL", "http://127.0.0.1:4000")

address <- function(parameters) {
  encoded <- vapply(parameters, function(value) URLencode(value, reserved = TRUE), "")
  paste0(gateway, "/graphql?", paste(names(parameters), encoded, sep = "=", collapse = "&"))
}

# Rows: what "Copy data link" of the analyst page copies. Codes keep their zeros, because nothing is guessed.
missions <- read.csv(
  address(c(
    query = "query($first: Int = 500, $after: String) {
      missions(first: $first, after: $after) { nodes { id title domain departmentName location { lon lat } } }
    }",
    format = "csv",
    pages = "all"
  )),
  colClasses = "character",
  encoding = "UTF-8"
)
# A file that is cut off says so in a last line that begins with #.
stopifnot(!startsWith(tail(missions$id, 1), "#"))
cat("missions:", nrow(missions), "\n")
cat("domains:", length(unique(missions$domain)), "\n")

# Answers: for what is no table. A query can be asked by GET, so that no package for HTTP is needed.
if (requireNamespace("jsonlite", quietly = TRUE)) {
  answer <- jsonlite::fromJSON(address(c(query = "{ communesByName(name: \"Saint Denis\", first: 3) { id nom } }")))
  if (!is.null(answer$errors)) print(answer$errors)
  cat("first commune:", answer$data$communesByName$nom[1], "\n")
}
