#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {

/// Words of the choices that a probe sets: kind = "sine".
using Chosen = std::map<std::string, std::string>;

struct Found {
  Chosen chosen;
  std::vector<Key> keys;
  bool open;
};

/// Reads files with every word of every choice and with every subsection, and collects the lists of the readers. No
/// list of sections, kinds or keys exists besides those of the readers.
class Explorer {
 public:
  std::vector<std::string> order{};  // paths as they are found
  std::map<std::string, std::vector<Found>> found{};
  std::map<std::string, std::map<std::string, Description::Choice>> choices{};  // by path and key

  void explore();

 private:
  void run();
  void probe(const Node& root);
  void note(const Node& root, const Description::Keys& k, Chosen chosen);
  void ask(const Node& root, const Description::Choice& c, const Chosen& chosen);
  struct Place {
    std::string path, access;  // for people, and for assign()
  };
  static bool find_place(const Node& from, const Node* wanted, Place& at);
  /// A reader may work on a copy of a node; then the name of the section tells the place.
  Place place(const Node& root, const Node* node, const std::string& name) const;

  std::deque<Node> queue_{};
  std::set<std::string> tried_{}, open_{};
};

}  // namespace bristle::scenario
