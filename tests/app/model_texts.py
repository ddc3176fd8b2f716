"""Models that several tests run."""

FREE = """
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^2/2"
[initial]
x = 1
p_x = 0
[run]
step = 0.01
end = 1
"""

PENDULUM = """
[parameters]
l = 1.0
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = l^2"
[initial]
x = 1
y = 0
p_x = 0
p_y = -1
[run]
step = 0.01
end = 2
"""

COUPLED = """
title = "A mass that depends on the position"
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/(2 + 2*x^2) + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
v_x = 0
v_y = -1
[run]
step = 0.01
end = 1
"""

DAMPED = """
title = "A damped oscillator that warms up"
[parameters]
c = 0.1
weights = [1.0, 2.0, 3.0]
[system]
coordinates = ["x"]
states = ["heat"]
hamiltonian = "p_x^2/2 + x^2/2"
[equations]
heat = "c*v_x^2"
[forces]
x = "-c*v_x"
[observables]
speed = "v_x"
weighted = { each = "i in 1..3", value = "weights[i]*x" }
[invariants]
total = "p_x^2/2 + x^2/2 + heat"
[initial]
x = 1
p_x = 0
heat = 0
[run]
step = 0.01
end = 5
method = "rk4"
"""

MOLECULE = """
title = "Two rods in space, free"
[parameters]
pairs = [[1, 2], [2, 3]]
[system]
coordinates = ["r[3,3]"]
lagrangian = "sum(a in 1..3, a*norm2(v_r[a])/2)"
[constraints]
rod = { each = "(a,b) in pairs", equation = "norm2(r[a] - r[b]) = 1" }
[observables]
centre = "(r[1] + 2*r[2] + 3*r[3])/6"
pull = "lambda_rod[1,2]"
[invariants]
L = "sum(a in 1..3, cross(r[a], p_r[a]))"
[initial]
r = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
v_r = { each = "i in 1..3", value = "cross([0.3, 0.2, 1.0], r[i])" }
[run]
step = 0.01
end = 1
"""
