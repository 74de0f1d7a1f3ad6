#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../registry/view.hpp"

/// The keys of a scenario file as data, for `bristle help`, the documents and the schema of editors. They are the lists
/// that the readers of the sections accept.
namespace bristle {
struct FieldInfo;
}
namespace bristle::scenario {

/// Forms of a value, to be combined with |.
namespace form {
/// Forms of values, as bits.
enum Form : unsigned {
  number = 1,
  whole = 2,
  boolean = 4,
  word = 8,  // one of the choices
  text = 16,
  texts = 32,
  numbers = 64,
  table = 128,
  tables = 256,  // array of tables
  points = 512,  // array of [x, y]
};
}  // namespace form

/// A key of a section. A name alone has no description, which the tests report.
struct Key {
  std::string name{};
  unsigned form = 0;   // accepted forms
  std::string text{};  // meaning
  std::string unit = "1";
  Range range = any_real;  // of a number, or of each number of an array
  Range count{1, inf};     // numbers in an array
  std::vector<std::string> choices{};
  bool required = false, waived = false;  // waived: another part of the file may replace it
  std::string value{};                    // default, as in a file; empty: none
  std::vector<std::string> instead{};     // one of these keys replaces it
  std::string like{};                     // a section with the keys of this one: "friction"
  bool nested = false;                    // or tables of such keys

  Key() = default;
  /// A key that is described elsewhere.
  Key(std::string key) : name(std::move(key)) {}  // NOLINT(google-explicit-constructor)
  /// A key that is described elsewhere.
  Key(const char* key) : name(key) {}  // NOLINT(google-explicit-constructor)
  Key(std::string key, unsigned forms, std::string meaning, std::string of_unit = "1", Range accepted = any_real,
      Range length = {1, inf})
      : name(std::move(key)),
        form(forms),
        text(std::move(meaning)),
        unit(std::move(of_unit)),
        range(accepted),
        count(length) {}
  /// The same key, required.
  Key needed() && {
    required = true;
    return std::move(*this);
  }
  /// The same key with the value of an absent one, as text.
  Key or_else(std::string usual) && {
    value = std::move(usual);
    return std::move(*this);
  }
  /// The same key as a table with the keys of a section.
  Key as(std::string section) && {
    like = std::move(section);
    return std::move(*this);
  }
};
/// The key of a field.
Key key_of(const FieldView& field);
/// The key of a field.
Key key_of(const FieldInfo& field);

/// A section, with the keys that are always accepted and those that depend on the word of one key (`by`).
struct SectionInfo {
  std::string path{};              // "drive", "drive.terms", "expect.*"; empty: the file itself
  std::string heading{};           // "[drive]", "[[figure]]"
  std::string about{}, example{};  // about: its meaning, in sentences; example: a section that the reader accepts
  std::vector<Key> keys{};
  bool open = false;  // the user chooses the keys; path + ".*" describes their values
  /// Keys of one kind.
  struct Group {
    // word: the value that selects them; about: their meaning; example: a section that the reader accepts
    std::string word{}, about{}, example{};
    std::vector<Key> keys{};
  };
  std::string by{};             // the key that selects a group
  std::vector<Group> groups{};  // keys that depend on the kind

  /// The key of this name; nullptr if there is none.
  const Key* find(std::string_view key) const;
  /// The group of this word; nullptr if there is none.
  const Group* group(std::string_view word) const;
  /// All keys, those of several groups once.
  std::vector<Key> all() const;
};

/// The file itself first, then each section followed by its subsections, in the order of a file.
const std::vector<SectionInfo>& sections();
/// The section at this path; nullptr if there is none.
const SectionInfo* find_section(std::string_view path);

/// The meaning of a word of a key, such as "sine" of kind in [drive]; empty: not described.
std::string meaning_of_word(std::string_view path, std::string_view key, std::string_view word);

/// Functions in [expect] and [measure].
struct FunctionInfo {
  std::string name, form, text;  // "max", "max(Y)"
};
/// The functions of [expect] and [measure].
const std::vector<FunctionInfo>& run_functions();

/// "> 0", "one of a, b": the accepted values of a key.
std::string accepted(const Key& key);
/// "required", the default, or empty.
std::string default_text(const Key& key);

}  // namespace bristle::scenario
