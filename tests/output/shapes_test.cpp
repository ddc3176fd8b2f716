#include "cotangent/output/shapes.hpp"

#include <gtest/gtest.h>

namespace cotangent {
namespace {

using Shape = std::vector<std::int64_t>;

NamedRows rows(std::vector<std::vector<std::int32_t>> indices, std::int64_t count, std::int64_t components = 1) {
  NamedRows result;
  result.name = "c";
  result.count = count * components;
  for (auto& list : indices) result.indices.push_back(IndexMap::from_list(std::move(list)));
  result.components = components;
  result.is_vector = components > 1;
  return result;
}

NamedValues stated(std::size_t loops) {
  NamedValues values;
  values.loops.resize(loops);
  return values;
}

TEST(ListShape, IsThatOfTheLoopsWhereTheyFillABox) {
  EXPECT_EQ(list_shape(stated(0), rows({}, 1)), Shape{});
  EXPECT_EQ(list_shape(stated(0), rows({}, 1, 3)), Shape{3});
  EXPECT_EQ(list_shape(stated(1), rows({{2, 3, 4, 5}}, 4)), Shape{4});
  EXPECT_EQ(list_shape(stated(1), rows({{2, 3}}, 2, 3)), (Shape{2, 3}));
  EXPECT_EQ(list_shape(stated(2), rows({{1, 1, 1, 2, 2, 2}, {4, 5, 6, 4, 5, 6}}, 6)), (Shape{2, 3}));
  EXPECT_EQ(list_shape(stated(1), rows({{}}, 0)), Shape{0});
}

TEST(ListShape, IsFlatForOtherLoops) {
  EXPECT_EQ(list_shape(stated(2), rows({{2, 3, 3}, {1, 1, 2}}, 3)), Shape{3});
  // One loop over pairs.
  EXPECT_EQ(list_shape(stated(1), rows({{1, 1, 1}, {2, 3, 4}}, 3)), Shape{3});
}

}  // namespace
}  // namespace cotangent
