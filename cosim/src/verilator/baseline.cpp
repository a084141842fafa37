// The bare loop that a binding or a lockstep is held against. Included by a generated file that first includes the
// model's header and defines
//
//   RESPRAY_CLASS   the model's class
//   RESPRAY_WORDS   64-bit words of one row of stimulus
//   RESPRAY_DRIVE   statements that write every input of the stimulus from `row`
//   RESPRAY_SAMPLE  statements that call sample(word) for every word of every output
//
// Arguments: file of rows, how many of them come once at the start (the others repeat), cycles, seed.
// Prints: seconds of the loop, checksum over all outputs of all cycles.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "verilated.h"

// The runtime leaves these to whoever links it.
void vl_finish(const char*, int, const char*) { std::exit(3); }
void vl_stop(const char*, int, const char*) { std::exit(3); }
void vl_fatal(const char*, int, const char*, const char*) { std::exit(3); }
void vl_warn(const char*, int, const char*, const char*) {}

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    std::vector<uint64_t> rows;
    std::FILE* file = std::fopen(argv[1], "rb");
    if (!file) return 2;
    uint64_t word;
    while (std::fread(&word, sizeof word, 1, file) == 1) rows.push_back(word);
    std::fclose(file);
    const uint64_t* const once = rows.data() + std::strtoull(argv[2], nullptr, 10) * RESPRAY_WORDS;
    const uint64_t* const end = rows.data() + rows.size();
    const uint64_t cycles = std::strtoull(argv[3], nullptr, 10);

    VerilatedContext context;
    context.randReset(2);
    context.randSeed(std::atoi(argv[4]));
    RESPRAY_CLASS model{&context, "TOP"};
    RESPRAY_CLASS* const top = &model;
    {
        const std::vector<uint64_t> zeros(RESPRAY_WORDS);
        const uint64_t* const row = zeros.data();
        top->clk = 0;
        RESPRAY_DRIVE;
        top->eval();
    }
    uint64_t checksum = 0;
    const auto sample = [&checksum](uint64_t word) { checksum = (checksum << 1 | checksum >> 63) ^ word; };
    const uint64_t* row = rows.data();
    const auto begin = std::chrono::steady_clock::now();
    for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
        RESPRAY_DRIVE;
        top->clk = 0;
        top->eval();
        RESPRAY_SAMPLE;
        top->clk = 1;
        top->eval();
        row += RESPRAY_WORDS;
        if (row == end) row = once;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%.9f %llu\n", took.count(), static_cast<unsigned long long>(checksum));
    model.final();
    return 0;
}
