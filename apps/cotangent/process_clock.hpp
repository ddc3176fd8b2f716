#pragma once

/// Call once, first thing in main: what the process has spent before (loading its libraries) is kept.
void start_process_clock();

/// Seconds since the process began: the processor time before main, and the time on the clock since.
double process_seconds();
