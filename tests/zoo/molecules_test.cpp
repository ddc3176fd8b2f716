#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

// Turned by three angles about x, then y, then z, and shifted; regular near the beginning, where all of them vanish.
Jet3 moved(const Jet3& x, const Jets& s, std::size_t first) {
  return Jet3{s[first], s[first + 1], s[first + 2]} +
         turned(turned(turned(x, 0, s[first + 3]), 1, s[first + 4]), 2, s[first + 5]);
}

TEST(Methane, TurnsAboutAFixedAxis) {
  // A spherical top: the angular velocity w stays, and r(t) is r(0) turned by |w| t about it (Rodrigues).
  const std::array<Real, 3> w{3, 2, 10};
  const Real rate = std::sqrt(Real(113)), s = 0.1087L / std::sqrt(Real(3));
  const auto cross = [](const std::array<Real, 3>& a, const std::array<Real, 3>& b) {
    return std::array<Real, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto at = [&](Real T) {
    Motion motion;
    for (const auto& r : {std::array<Real, 3>{0, 0, 0}, {s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}}) {
      const auto wr = cross(w, r), wwr = cross(w, wr);
      std::array<Real, 3> now{};
      for (std::size_t k = 0; k < 3; ++k)
        now[k] = r[k] + std::sin(rate * T) / rate * wr[k] + (1 - std::cos(rate * T)) / (rate * rate) * wwr[k];
      const auto velocity = cross(w, now);
      motion.x.insert(motion.x.end(), now.begin(), now.end());
      motion.v.insert(motion.v.end(), velocity.begin(), velocity.end());
    }
    return expected(entries("r", 5, 3), motion);
  };
  ModelRun run("methane");
  expect_starts_at(run, at(0));
  expect_converges(run, 1, 100, at(1));
}

// Rigid molecules O, H, H of SPC/E with the given sites in their own frames. Each has a place and three angles; forces
// between all sites, from Coulomb's law and from Lennard-Jones.
Mechanism water(const std::vector<Jet3>& site) {
  const auto place = [=](const Jets& s, const Jet&) {
    Jets x;
    for (std::size_t i = 0; i < site.size(); ++i) append(x, moved(site[i], s, 6 * (i / 3)));
    return x;
  };
  const auto force = [](Real, const Vec& x, const Vec&, const Vec&) {
    const std::array<Real, 3> q{-0.8476L, 0.4238L, 0.4238L};
    Vec F(x.size());
    for (std::size_t a = 0; a < x.size() / 3; ++a)
      for (std::size_t b = a - a % 3 + 3; b < x.size() / 3; ++b) {
        std::array<Real, 3> e{};
        Real r2 = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          e[k] = x[3 * a + k] - x[3 * b + k];
          r2 += e[k] * e[k];
        }
        // Force on a along e: -V'(r)/r.
        Real along = 138.935458L * q[a % 3] * q[b % 3] / (r2 * std::sqrt(r2));
        if (a % 3 == 0 && b % 3 == 0) {
          const Real six = std::pow(0.3166L * 0.3166L / r2, Real(3));
          along += 24 * 0.650L * (2 * six * six - six) / r2;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          F[3 * a + k] += along * e[k];
          F[3 * b + k] -= along * e[k];
        }
      }
    return F;
  };
  Vec mass;
  for (std::size_t i = 0; i < 3 * site.size(); ++i) mass.push_back(i % 9 < 3 ? 15.9994L : 1.008L);
  return {.place = place, .mass = diagonal(mass), .force = force};
}

std::vector<std::string> names_of_water(int molecules) {
  std::vector<std::string> names;
  for (int i = 1; i <= molecules; ++i)
    for (int a = 1; a <= 3; ++a)
      for (int k = 1; k <= 3; ++k)
        names.push_back("r[" + std::to_string(i) + "," + std::to_string(a) + "," + std::to_string(k) + "]");
  return names;
}

TEST(Water, MovesLikeTwoRigidBodies) {
  const Real d = 0.1L, ca = std::sqrt(1 / Real(3)), sa = std::sqrt(2 / Real(3)), turn = 1.3L;
  const Jet3 O{0, 0, 0};
  const auto H = [=](Real angle, Real side) {
    return Jet3{d * ca * std::cos(angle), d * sa * side, d * ca * std::sin(angle)};
  };
  const Mechanism bodies = water({O, H(0, 1), H(0, -1), O, H(turn, 1), H(turn, -1)});
  const auto names = names_of_water(2);
  Vec s(12);
  s[6] = 0.29L;
  ModelRun run("water");
  expect_starts_at(run, expected(names, follow(bodies, s, Vec(12), 0)));
  expect_converges(run, 0.05L, 100, expected(names, follow(bodies, s, Vec(12), 0.05L)));
}

TEST(WaterDroplet, MovesLikeEightRigidBodies) {
  const Real d = 0.1L, along = d * std::sqrt(1 / Real(3)), across = d * std::sqrt(2 / Real(3)), D = 0.3107L;
  std::vector<Jet3> site;
  Vec s(48);
  for (std::size_t i = 0; i < 8; ++i) {
    const std::array<std::size_t, 3> cell{i % 2, i / 2 % 2, i / 4};
    const std::size_t layer = cell[0] + cell[1] + cell[2];
    // Axis k goes along the molecule where k + layer is a multiple of 3, and the next one from hydrogen to hydrogen.
    const std::size_t first = (3 - layer % 3) % 3, second = (first + 1) % 3;
    Jet3 hydrogen[2];
    for (auto& H : hydrogen) H[first] = layer % 2 == 0 ? along : -along;
    hydrogen[0][second] = across;
    hydrogen[1][second] = -across;
    site.insert(site.end(), {Jet3{0, 0, 0}, hydrogen[0], hydrogen[1]});
    for (std::size_t k = 0; k < 3; ++k) s[6 * i + k] = D * static_cast<Real>(cell[k]);
  }
  const Mechanism bodies = water(site);
  const auto names = names_of_water(8);
  ModelRun run("water_droplet");
  expect_starts_at(run, expected(names, follow(bodies, s, Vec(48), 0)));
  expect_converges(run, 0.005L, 10, expected(names, follow(bodies, s, Vec(48), 0.005L)));
}

TEST(Butane, MovesLikeItsTorsionAndARigidBody) {
  // Atom 2 with the frame of atoms 1, 2, 3 is a rigid body; atom 4 turns by s[6] about the bond 2-3. The torsion itself
  // is taken along as a thirteenth coordinate without mass, on which the force -V' acts.
  const Real b = 0.153L, across = b * std::sqrt(Real(8)) / 3;
  const auto place = [=](const Jets& s, const Jet&) {
    Jets x;
    append(x, moved({-b / 3, across, 0}, s, 0));
    append(x, moved({0, 0, 0}, s, 0));
    append(x, moved({b, 0, 0}, s, 0));
    append(x, moved({4 * b / 3, -across * cos(s[6]), across * sin(s[6])}, s, 0));
    x.push_back(s[6]);
    return x;
  };
  const auto force = [](Real, const Vec& x, const Vec&, const Vec&) {
    const Real C[] = {9.28L, 12.16L, -13.12L, -3.06L, 26.24L, -31.5L}, c = std::cos(x[12]);
    Real slope = 0;  // dV/dc
    for (int k = 5; k >= 1; --k) slope = slope * c + static_cast<Real>(k) * C[k];
    Vec F(13);
    F[12] = slope * std::sin(x[12]);
    return F;
  };
  Vec mass;
  for (const Real m : {15.035L, 14.027L, 14.027L, 15.035L}) mass.insert(mass.end(), 3, m);
  mass.push_back(0);
  const Mechanism molecule{.place = place, .mass = diagonal(mass), .force = force};
  const Vec s{0, 0, 0, 0, 0, 0, 0.5L}, rate{0, 0, 0, 0, 0, 0, 1 / across};
  const auto names = entries("r", 4, 3);
  ModelRun run("butane");
  expect_starts_at(run, expected(names, follow(molecule, s, rate, 0)));
  expect_converges(run, 0.5L, 200, expected(names, follow(molecule, s, rate, 0.5L)));
}

TEST(Polymer, MovesLikeTheAnglesOfItsRods) {
  // The first bead, and for each rod two angles with the pole on the x axis: (cos a, sin a cos b, sin a sin b).
  const std::size_t N = 5;
  const auto place = [=](const Jets& s, const Jet&) {
    Jets x{s[0], s[1], s[2]};
    Jet3 r{s[0], s[1], s[2]};
    for (std::size_t i = 3; i < s.size(); i += 2)
      append(x, r = r + Jet3{cos(s[i]), sin(s[i]) * cos(s[i + 1]), sin(s[i]) * sin(s[i + 1])});
    return x;
  };
  // V = kappa sum (1 - d_i . d_{i+1}) for the rods d_i = r_{i+1} - r_i; -V_{d_i} acts forward on r_{i+1}, backward on
  // r_i.
  const auto force = [=](Real, const Vec& x, const Vec&, const Vec&) {
    const auto rod = [&](std::size_t i, std::size_t k) { return x[3 * (i + 1) + k] - x[3 * i + k]; };
    Vec F(3 * N);
    for (std::size_t i = 0; i + 1 < N; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Real pull = 5 * ((i > 0 ? rod(i - 1, k) : 0) + (i + 2 < N ? rod(i + 1, k) : 0));
        F[3 * (i + 1) + k] += pull;
        F[3 * i + k] -= pull;
      }
    return F;
  };
  const Mechanism chain{.place = place, .mass = diagonal(Vec(3 * N, 1)), .force = force};
  const Real R = 0.8L, rise = std::sqrt(1 - 4 * R * R * std::sin(0.5L) * std::sin(0.5L));
  Vec s{R * std::cos(Real(1)), R * std::sin(Real(1)), rise};
  for (std::size_t i = 1; i < N; ++i) {
    const auto turn = static_cast<Real>(i);
    const Real x = R * (std::cos(turn + 1) - std::cos(turn)), y = R * (std::sin(turn + 1) - std::sin(turn));
    s.push_back(std::acos(x));
    s.push_back(std::atan2(rise, y));
  }
  ModelRun run("polymer", {"N=5"});
  const auto names = entries("r", 5, 3);
  const Vec rest(s.size());
  expect_starts_at(run, expected(names, follow(chain, s, rest, 0)));
  expect_converges(run, 2, 200, expected(names, follow(chain, s, rest, 2)));
}

}  // namespace
}  // namespace cotangent::zoo
