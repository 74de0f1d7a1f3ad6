#pragma once
#include <cstddef>
#include <string>
#include <vector>

/// Pages of the reference: the same content for terminals and as Markdown.
namespace bristle::cli {

struct Block {
  enum Kind { heading, text, table, code } kind;
  int level = 1;        // of a heading
  std::string words{};  // of a heading, text or code; of a table: folder of the documents of its first column
  std::vector<std::vector<std::string>> rows{};  // the first one is the head; the last column holds sentences
};
using Page = std::vector<Block>;

std::string for_terminal(const Page& page, std::size_t width);
std::string as_markdown(const Page& page);

}  // namespace bristle::cli
