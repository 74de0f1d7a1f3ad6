#pragma once
#include <string>
#include <vector>

/// The reference of scenario files: `bristle help TOPIC`, docs/scenario.md and the schema of editors.
namespace bristle::cli {

/// "scenario", and a name for each section: "drive", "effects".
std::vector<std::string> help_topics();
/// Prints the page of a topic; false if there is none.
bool print_topic(const std::string& topic);
/// Prints the topics, the commands and how to ask for them.
void print_topics(const std::vector<std::pair<std::string, std::string>>& commands);
/// All topics as one document.
std::string reference_document();

}  // namespace bristle::cli
