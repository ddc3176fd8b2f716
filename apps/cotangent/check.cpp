#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/check/understanding.hpp"
#include "cotangent/run/models.hpp"
#include "messages.hpp"

using namespace cotangent;

int check(const CheckRequest& request) {
  const Understanding found = understand(load_model(find_model(request.model), request.set), RunWords(flag));
  print(request.json ? found.json() : with_flags(found.table()));
  return kDone;
}
