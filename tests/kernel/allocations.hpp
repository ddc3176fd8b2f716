#pragma once

namespace cotangent::test {

/// How often this thread has called operator new (which allocations.cpp replaces).
long allocations();

}  // namespace cotangent::test
