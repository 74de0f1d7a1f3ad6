#include "data/vocabulary.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace bristle::identify {
namespace {

struct Group {
  Role role;
  int points;
  const char* words;
};
using enum Role;
constexpr Group groups[]{
    {t, 10, "t time zeit temps tiempo tempo tijd tid czas время 时间 時間 시간"},
    {t, 9, "timestamp stamp"},
    {t, 8, "seconds secs sekunden"},
    {t, 6, "sec"},
    {t, 5, "elapsed clock"},
    {x, 10, "x position posizione posicion posicao positie положение 位置 위치"},
    {x, 9,
     "q pos displacement disp angle theta deplacement desplazamiento spostamento перемещение 位移 変位 角度 각도"},
    {x, 8, "phi weg winkel drehwinkel angolo angulo hoek угол"},
    {x, 7, "stroke travel hub lage corsa carrera"},
    {x, 6, "distance encoder"},
    {x, 4, "s slip"},
    {x, 3, "y"},
    {x, 2, "z"},
    {v, 10, "v vel velocity speed vitesse velocidad velocita velocidade snelheid hastighet скорость 速度 속도"},
    {v, 9, "qd dq dx xd xdot qdot omega drehzahl geschwindigkeit winkelgeschwindigkeit velocities 转速 角速度 回転数"},
    {v, 8, "rpm dtheta thetadot"},
    {v, 5, "w"},
    {F, 12,
     "friction reibung reibkraft reibmoment frottement friccion rozamiento attrito atrito wrijving friktion "
     "трение трения 摩擦 마찰"},
    {F, 11, "fric"},
    {F, 10, "F"},
    {F, 8, "ff tangential"},
    {F, 7, "ft"},
    {F, 6, "f traction"},
    {F, 5, "drag"},
    {mu, 12, "mu cof reibwert reibungszahl reibungskoeffizient reibkoeffizient reibbeiwert 摩擦系数 摩擦係数"},
    {mu, 8, "coeff coefficient coef coefficiente coeficiente koeffizient"},
    {u, 9, "u"},
    {u, 8, "tau"},
    {u, 7,
     "torque force kraft drehmoment couple coppia koppel fuerza forza forca kracht vridmoment сила момент 力矩 扭矩 "
     "转矩 トルク 토크"},
    {u, 6, "effort thrust par momento"},
    {u, 5, "moment 力 힘"},
    {u, 4, "app current courant corriente corrente strom 电流 電流"},
    {u, 3, "motor actuator"},
    {u, 2, "i m"},
    {N, 12, "normal normale normalkraft 法向 正压力 法線"},
    {N, 10, "N"},
    {N, 9, "fn"},
    {N, 8, "fz preload anpresskraft vorspannung"},
    {N, 5, "load last charge carga carico belastung 载荷 荷重"},
    {N, 4, "pressure druck pression"},
    {T, 10, "temp temperature temperatur temperatura температура 温度 온도"},
    {T, 9, "T"},
    {sigma, 8, "std sigma stddev stdev standardabweichung"},
    {sigma, 7, "sd uncertainty sem unsicherheit"},
    {ref, 10, "ref reference referenz"},
    {ref, 9, "goal desired setpoint soll sollwert consigne consigna 目标 目標 指令"},
    {ref, 8, "target"},
    {ref, 7, "command cmd"},
};

struct Tagged {
  Tag tag;
  const char* words;
};
constexpr Tagged tags[]{
    {Tag::other,
     "ref reference referenz goal target desired des cmd command setpoint set error err enable flag status state "
     "mode limit min max noise soll sollwert pulse index sample count id seq pred model fit est drive acc accel "
     "acceleration beschleunigung consigne consigna 目标 目標 指令 给定 设定 参考 误差 誤差 偏差 加速度"},
    {Tag::spread, "std sigma sd stddev stdev uncertainty var variance sem standardabweichung unsicherheit"},
    {Tag::measured, "meas measured actual act ist istwert gemessen mesure 实际 实测 実測"},
    {Tag::coefficient,
     "coeff coefficient cof mu coef reibwert reibungszahl reibungskoeffizient reibkoeffizient reibbeiwert "
     "coefficiente coeficiente koeffizient 系数 係数"},
    {Tag::not_friction, "app applied motor actuator normal normale n z N normalkraft 法向 正压力 法線"},
    {Tag::turning,
     "angle theta phi winkel drehwinkel omega torque tau drehmoment reibmoment couple coppia koppel rpm drehzahl "
     "angolo angulo hoek winkelgeschwindigkeit vridmoment dtheta thetadot rotation угол 角度 角速度 转速 力矩 "
     "扭矩 转矩 トルク 回転数 각도 토크"},
    {Tag::joint, "q dq qd qdot joint"},
    {Tag::straight, "force kraft reibkraft displacement disp weg stroke travel distance hub fuerza forza forca kracht "
                    "deplacement desplazamiento spostamento linear slide сила перемещение 位移 変位 摩擦力"},
    {Tag::across, "n z"},
    {Tag::stress, "stress spannung contrainte pressure druck 应力 応力"},
    {Tag::shear, "shear tangential schub cisaillement 剪"},
    {Tag::seconds, "secs sec seconds"},
    {Tag::nanoseconds, "nsecs nsec nanosec nanosecs nanoseconds nanos"},
};

/// Lower case without accents; µ becomes mu.
std::string folded(std::string_view text) {
  constexpr std::string_view latin =  // U+00C0 to U+00FF; a blank: no letter of ASCII
      "aaaaaaaceeeeiiiidnooooo ouuuuy saaaaaaaceeeeiiiidnooooo ouuuuy y";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte < 128) {
      out += static_cast<char>(std::tolower(byte));
    } else if (byte == 0xC3 && next >= 0x80) {
      out += latin[next - 0x80U];
      ++i;
    } else if ((byte == 0xC2 && next == 0xB5) || (byte == 0xCE && next == 0xBC)) {
      out += "mu";
      ++i;
    } else if (byte == 0xD0 && next >= 0x90 && next < 0xB0) {  // Cyrillic capitals
      out += next < 0xA0 ? '\xD0' : '\xD1';
      out += static_cast<char>(next < 0xA0 ? next + 0x20 : next - 0x20);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// A known word in a compound: MotorDrehmoment, 电机转速. Single letters and short words count only as a whole.
bool matches(const std::string& word, const std::string& known) {
  if (word == known) return true;
  constexpr std::size_t long_enough = 5;
  const bool script = static_cast<unsigned char>(known[0]) > 0xE0;  // without blanks between words
  if (script) return word.find(known) != std::string::npos;
  return known.size() >= long_enough && word.size() > known.size() &&
         (word.ends_with(known) || word.starts_with(known));
}

std::vector<std::string> split(const char* words) {
  std::istringstream in(words);
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}
const std::vector<std::string>& list_of(const char* words) {
  thread_local std::map<const char*, std::vector<std::string>> lists;
  auto [at, is_new] = lists.try_emplace(words);
  if (is_new) at->second = split(words);
  return at->second;
}
bool is_letter(const std::string& w) { return w.size() == 1 && std::isalpha(static_cast<unsigned char>(w[0])) != 0; }

}  // namespace

Words::Words(std::string_view name) {
  words_.resize(1);
  char before = 0;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = std::isalpha(byte) != 0 || byte > 127;
    const bool hump = std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((!letter || hump) && !words_.back().empty()) words_.emplace_back();
    if (letter) words_.back() += c;
    before = c;
  }
  std::erase(words_, "");
  for (std::string& w : words_) {
    if (w.size() > 1) w = folded(w);
    if (w.size() > 5 && w.back() == 's') {  // positions, torques
      const std::string one = w.substr(0, w.size() - 1);
      for (const Group& g : groups) {
        if (std::ranges::find(list_of(g.words), one) != list_of(g.words).end()) w = one;
      }
    }
  }
}

int Words::points(Role role) const {
  int out = 0;
  for (const Group& g : groups) {
    if (g.role != role) continue;
    for (const std::string& w : words_) {
      for (const std::string& known : list_of(g.words)) {
        const bool same_letter = is_letter(w) && is_letter(known) && (role == x || role == v || role == u) &&
                                 std::tolower(static_cast<unsigned char>(w[0])) == known[0];
        if (!same_letter && !matches(w, known)) continue;
        const bool part = w.size() != known.size() || (words_.size() > 1 && is_letter(w));
        out = std::max(out, g.points - (part ? 1 : 0));
      }
    }
  }
  return out;
}

bool Words::has(Tag tag) const {
  for (const Tagged& t : tags) {
    if (t.tag != tag) continue;
    for (const std::string& w : words_) {
      if (std::ranges::any_of(list_of(t.words), [&](const std::string& known) { return matches(w, known); }))
        return true;
    }
  }
  return tag == Tag::other && std::ranges::any_of(words_, [](const std::string& w) {
           return w.starts_with("soll") || w.starts_with("ziel");  // Sollposition
         });
}

bool Words::pull() const { return points(F) >= 5 || (points(u) >= 5 && points(u) <= 8); }

Words Words::without_statistics() const {
  Words out = *this;
  std::erase_if(out.words_,
                [](const std::string& w) { return Words(w).has(Tag::spread) || w == "mean" || w == "avg"; });
  return out;
}

}  // namespace bristle::identify
