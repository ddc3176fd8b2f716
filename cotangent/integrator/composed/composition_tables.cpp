#include "cotangent/integrator/composed/composition_tables.hpp"

#include <fmt/format.h>
#include <quadmath.h>

#include <algorithm>
#include <stdexcept>

namespace cotangent {
namespace {

// Coefficients for symmetric methods of order two: the first half, the one in the middle last. As published they have
// 26 or 32 digits; the others were found by Newton's method on the order conditions.
struct Half {
  const char* name;
  int order;
  std::vector<const char*> gamma;
  const char* reference;
};

const std::vector<Half>& halves() {
  static const std::vector<Half> list{
      {"sofroniou-spaletta",
       6,
       {"0.13861930854051695245808013042625353688", "0.13346562851074760407046858832209255988",
        "0.13070531011449225190542755785015204389", "0.12961893756907034772505366537091184231",
        "-0.35000324893920896516170830911322560567", "0.11805530653002387170273438954048975487",
        "0.39907751534871587459988795520665173568"},
       "sofroniou-spaletta05"},
      {"kahan-li",
       6,
       {"0.3921614440073141392792505574226714038", "0.33259913678935943859974863750004964688",
        "-0.7062461725576393598099648195492564594", "0.082213596293550800231490448102056331103",
        "0.79854399093482996339895035304895815521"},
       "kahan-li97"},
      {"yoshida",
       6,
       {"0.78451361047755726381949763386634987578", "0.23557321335935813368479318297853460169",
        "-1.1776799841788710069464156809643157346", "1.3151863206839112188842497282388625144"},
       "yoshida90"},
      {"sofroniou-spaletta",
       8,
       {"0.1064772898455003182393196785489584846", "0.1083740864583572639743341059154592727",
        "0.3533782105265434241953454132407993384", "-0.23341414023165082198780281128319481244",
        "-0.24445266791528841269462171413216415749", "0.11317848435755633314700952515598971398",
        "0.11892905625000350062692972283950846871", "0.1260391232182598814030567026836462356",
        "0.12581718736176041804392391641586622692", "0.11699135019217642180722881433532908182",
        "-0.38263596012643665350944670744039570564"},
       "sofroniou-spaletta05"},
      {"kahan-li",
       8,
       {"0.13020248308889008087881763209670052236", "0.56116298177510838456196440770015056727",
        "-0.38947496264484728640807859823524838884", "0.15884190655515560089621074570715248141",
        "-0.39590389413323757733623153934793893603", "0.18453964097831570709183254153337546282",
        "0.25837438768632204729397910999493947181", "0.29501172360931029887096624021822811298",
        "-0.60550853383003451169892107933471858756"},
       "kahan-li97"},
      {"mclachlan",
       8,
       {"0.7416703643506129534482278017838063156", "-0.40910082580003159399730009589356341731",
        "0.19075471029623837995387625645037166274", "-0.57386247111608226665638772663553574216",
        "0.29906418130365592384446354068860298823", "0.33462491824529818378495797988218228863",
        "0.31529309239676659663205666381100243099", "-0.79688793935291635401978884017373305345"},
       "mclachlan95"},
      {"sofroniou-spaletta",
       10,
       {"0.078795722521686419263907679337684248299", "0.31309610341510852776481247192647269609",
        "0.027918383235078066109520273275298821935", "-0.22959284159390709415121339679654987649",
        "0.13096206107716486317465685927960541426", "-0.26973340565451071434460973222411149625",
        "0.074973343155891435666137105641410412049", "0.11199342399981020488957508073640205883",
        "0.36613344954622675119314812353149908309", "-0.39910563013603589787862981058340473047",
        "0.10308739852747107731580277001372447675", "0.41143087395589023782070411897607835068",
        "-0.0048663605831352617621956593099770627375", "-0.39203335370863990644808193642610427018",
        "0.051942502962449647037182904015975813379", "0.050665090759924496335874344156865797036",
        "0.049674370639729879054568800279460933717", "0.049317735759594537917680008339338660032"},
       "sofroniou-spaletta05"}};
  return list;
}

CompositionTable whole(const Half& half) {
  CompositionTable table{.name = half.name, .order = half.order, .gamma = {}, .reference = half.reference};
  for (const char* text : half.gamma) table.gamma.push_back(strtoflt128(text, nullptr));
  for (std::size_t k = half.gamma.size() - 1; k-- > 0;) table.gamma.push_back(table.gamma[k]);
  return table;
}

}  // namespace

std::vector<Quad> steps_around_one_back(int on_each_side, int inner) {
  const Quad forth = 2 * on_each_side, root = powq(forth, 1 / static_cast<Quad>(inner + 1));
  std::vector<Quad> gamma(static_cast<std::size_t>(2 * on_each_side + 1), 1 / (forth - root));
  gamma[static_cast<std::size_t>(on_each_side)] = -root / (forth - root);
  return gamma;
}

std::vector<CompositionTable> compositions(int order, int inner) {
  std::vector<CompositionTable> found;
  if (order == inner + 2) {
    found.push_back({"steps-4-1-4", order, steps_around_one_back(4, inner), "mclachlan02"});
    found.push_back({"suzuki", order, steps_around_one_back(2, inner), "suzuki90"});
  }
  for (const Half& half : halves())
    if (half.order == order && inner < order) found.push_back(whole(half));
  return found;
}

CompositionTable find_composition(int order, int inner, std::string_view name) {
  const std::vector<CompositionTable> known = compositions(order, inner);
  if (known.empty())
    throw std::invalid_argument(fmt::format(
        "a symmetric method of order {} is raised to order {}", inner,
        inner < 10 ? fmt::format("{}, or to any of 6, 8, 10 above it", inner + 2) : fmt::format("{}", inner + 2)));
  if (name.empty()) return known.front();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const CompositionTable& table) { return table.name == name; });
  if (found != known.end()) return *found;
  std::vector<std::string> names;
  for (const auto& table : known) names.push_back(table.name);
  throw std::invalid_argument(fmt::format("coefficients from order {} to order {} are {}, not '{}'", inner, order,
                                          fmt::join(names, ", "), name));
}

}  // namespace cotangent
