#pragma once

#include <string>

#include "cotangent/model/model.hpp"

/// What --set may change of a model, as a text: parameters and initial values. Equal texts of one file are equal data.
std::string model_data(const cotangent::Model& model);
