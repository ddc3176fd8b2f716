#include "cotangent/integrator/composed/splitting_tables.hpp"

#include <fmt/format.h>
#include <quadmath.h>

#include <initializer_list>
#include <stdexcept>

#include "cotangent/integrator/composed/composition_tables.hpp"

namespace cotangent {
namespace {

// `size` coefficients that read the same backwards, from the first half of them.
std::vector<Quad> palindrome(std::initializer_list<const char*> half, std::size_t size) {
  std::vector<Quad> all;
  for (const char* text : half) all.push_back(strtoflt128(text, nullptr));
  while (all.size() < size) all.push_back(all[size - 1 - all.size()]);
  return all;
}

// Drift, kick, drift: half a drift at both ends of each step gamma.
SplittingTable verlet_steps(const std::vector<Quad>& gamma) {
  SplittingTable table;
  Quad before = 0;
  for (const Quad& g : gamma) {
    table.first.push_back((before + g) / 2);
    table.second.push_back(g);
    before = g;
  }
  table.first.push_back(before / 2);
  table.symmetric = true;
  return table;
}

SplittingTable stormer_verlet() {
  SplittingTable table = verlet_steps({1});
  table.description = "the scheme of Stormer and Verlet, or leapfrog";
  table.order = 2;
  table.reference = "verlet67";
  return table;
}

// The triple jump of it.
SplittingTable forest_ruth() {
  SplittingTable table = verlet_steps(steps_around_one_back(1, 2));
  table.description = "three steps of Stormer and Verlet";
  table.order = 4;
  table.reference = "forest-ruth90";
  return table;
}

SplittingTable ruth3() {
  const Quad one = 1;
  return {.name = {},
          .description = "three stages, not symmetric",
          .order = 3,
          .first = {7 * one / 24, 3 * one / 4, -one / 24},
          .second = {2 * one / 3, -2 * one / 3, one},
          .reference = "ruth83"};
}

// As published the coefficients of Blanes and Moan have 15 digits; the others were found by Newton's method on the
// order conditions, from there to the nearest solution.
SplittingTable blanes_moan4() {
  return {.name = {},
          .description = "6 stages with small errors",
          .order = 4,
          .symmetric = true,
          .first = palindrome({"0.079203696431195669433663495888268873308", "0.35317290604977398848106131157312105653",
                               "-0.04206508035771953536811029830251703872", "0.21937695575349975490677098168225421776"},
                              7),
          .second = palindrome({"0.2095151066133620212740726400295010169", "-0.14385177317981800827511505785652772565",
                                "0.43433666656645598700104241782702670875"},
                               6),
          .reference = "blanes-moan02"};
}

SplittingTable blanes_moan6() {
  return {.name = {},
          .description = "10 stages with small errors",
          .order = 6,
          .symmetric = true,
          .first = palindrome({"0.050262764400392686021221654402074109406", "0.41351430042834381506306372013388443898",
                               "0.045079889794398062968897052124513471162", "-0.18805485381956891479912848891887054249",
                               "0.54196067845078013483141474093307249635", "-0.72552555850869156817093735734934794681"},
                              11),
          .second = palindrome({"0.14881644790104323192090100553557758888", "-0.13238586576778364744884542659893992157",
                                "0.067307604692184458150257896592601046899", "0.43266640257817359752766797088354529806",
                                "-0.01640458940361764014998144641278401226"},
                               10),
          .reference = "blanes-moan02"};
}

SplittingTable blanes_moan_rkn4() {
  return {
      .name = {},
      .description = "6 stages with small errors, smallest where T is quadratic",
      .order = 4,
      .symmetric = true,
      .drift_first = false,
      .first = palindrome({"0.082984406417405018838347478942250112495", "0.3963098014983680770949115282636867394",
                           "-0.039056304922348435170865290765379242288", "0.11952419401315067847521256711888478079"},
                          7),
      .second = palindrome({"0.24529895718427116260393242600140088041", "0.60487266571107997496089269764307624522",
                            "-0.35017162289535113756482512364447712563"},
                           6),
      .reference = "blanes-moan02"};
}

SplittingTable blanes_moan_rkn6_11() {
  return {
      .name = {},
      .description = "11 stages with small errors, Runge-Kutta-Nystrom",
      .order = 6,
      .symmetric = true,
      .drift_first = false,
      .quadratic = true,
      .first = palindrome({"0.041464998518262843298778133914704936724", "0.19812867191806654113672647318149696061",
                           "-0.040006192104152686888828363535944839376", "0.075253984301580341127878878527042755542",
                           "-0.011511387420687770062443201501289199553", "0.23666992478693073138788807941398938605"},
                          12),
      .second = palindrome({"0.12322977594627115156108638033336675259", "0.29055379779955827036641416932791618333",
                            "-0.12704921262541691566250505382748593447", "-0.2463317610620754041949734891040628626",
                            "0.35720887279592775261986034961931046284", "0.20477705429147029062023528730191079662"},
                           11),
      .reference = "blanes-moan02"};
}

SplittingTable blanes_moan_rkn6_14() {
  return {
      .name = {},
      .description = "14 stages with small errors, Runge-Kutta-Nystrom",
      .order = 6,
      .symmetric = true,
      .quadratic = true,
      .first = palindrome({"0.037859319840610941447021179038011104032", "0.10263563310243655284708225094033806128",
                           "-0.025867888266558333163946960359365338559", "0.31424140307144643414714253570328401108",
                           "-0.13014445951741511384961507854002851617", "0.10641770036954136802228013928538345695",
                           "-0.0087942431285102043940694284276599030323", "0.20730506905689670988821072472007424886"},
                          15),
      .second = palindrome({"0.09171915262446201798118322826486834025", "0.18398317000500489849147656467634333801",
                            "-0.05653436583288910439527704484808994929", "0.0049146887747118856402056164550157244041",
                            "0.14376112716836168238737452998677221049", "0.32856769374680414020048125762703534009",
                            "-0.19641146648645552030544415216194500395"},
                           14),
      .reference = "blanes-moan02"};
}

struct Entry {
  const char* word;
  const char* argument;  // or nothing
  SplittingTable (*table)();
  bool exchanged;
};

constexpr Entry kEntries[] = {
    {"stormer-verlet", "", stormer_verlet, false},
    {"stormer-verlet", "kick", stormer_verlet, true},
    {"ruth3", "", ruth3, false},
    {"ruth3", "kick", ruth3, true},
    {"forest-ruth", "", forest_ruth, false},
    {"forest-ruth", "kick", forest_ruth, true},
    {"blanes-moan4", "", blanes_moan4, false},
    {"blanes-moan4", "kick", blanes_moan4, true},
    {"blanes-moan6", "", blanes_moan6, false},
    {"blanes-moan6", "kick", blanes_moan6, true},
    {"blanes-moan-rkn4", "", blanes_moan_rkn4, false},
    {"blanes-moan-rkn6", "", blanes_moan_rkn6_14, false},
    {"blanes-moan-rkn6", "14", blanes_moan_rkn6_14, false},
    {"blanes-moan-rkn6", "11", blanes_moan_rkn6_11, false},
};

}  // namespace

SplittingTable splitting_table(const MethodName& name) {
  std::vector<std::string> others;
  for (const Entry& entry : kEntries) {
    if (entry.word != name.word) continue;
    const std::string argument = name.arguments.empty() ? "" : name.arguments.front();
    if (!name.inner && name.arguments.size() <= 1 && argument == entry.argument) {
      SplittingTable table = entry.table();
      table.name = name.text();
      if (entry.exchanged) table.drift_first = !table.drift_first;
      table.description += table.drift_first ? ", drift first" : ", kick first";
      return table;
    }
    others.push_back(*entry.argument ? fmt::format("{}:{}", entry.word, entry.argument) : entry.word);
  }
  throw std::invalid_argument(fmt::format("there is no method '{}', but {}", name.text(), fmt::join(others, " and ")));
}

}  // namespace cotangent
