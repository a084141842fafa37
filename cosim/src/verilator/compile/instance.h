// What the C face of every model shares: the struct that Rust knows it by, and an instance of a model without the model. A model includes
// it, and `instance.cpp`, which is compiled once, has its functions: to compile them again with each model took as long as a small model.
//
// The structs below are mirrored in abi.rs.

#ifndef RESPRAY_INSTANCE_H
#define RESPRAY_INSTANCE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

struct ResprayPort {
    const char* name;
    uint32_t width;
    uint32_t direction;
    uint32_t column;
};

struct ResprayShim {
    uint32_t abi;
    uint32_t port_count;
    const ResprayPort* ports;
    void* (*create)(int32_t, uint32_t*);
    void (*destroy)(void*);
    void* (*address)(void*, uint32_t);
    uint32_t (*eval)(void*, uint64_t);
    uint64_t (*cycles)(void*, const uint64_t*, uint64_t*, uint64_t, uint64_t, uint32_t*);
    const char* (*failure)(void*);
    void (*trace_open)(void*);
    void (*trace_dump)(void*, uint64_t);
    void (*trace_close)(void*);
    const char* (*trace_text)(void*, uint64_t*);
    uint32_t (*coverage_write)(void*, const char*);
    const char* (*version)();
};

namespace respray {

constexpr uint32_t ABI = 5;
enum Status : uint32_t { RUNNING = 0, FINISHED = 1, FAILED = 2, REFUSED = 3 };
enum Direction : uint32_t { IN = 0, OUT = 1, CLOCK = 2 };

// Where the Verilog called `$finish`; Verilator's own context keeps only that it did.
struct ModelContext final : VerilatedContext {
    std::string finish;
    ModelContext();
    ~ModelContext();
};

#if VM_TRACE
struct Trace;
#endif

// A handle points to one. The model is a member of the struct that is derived from it, so that the context outlives the model.
struct Instance {
    ModelContext context;
    std::string failure;
#if VM_TRACE
    Trace* trace = nullptr;
#endif
    // As a model begins: what is random follows from `seed`.
    explicit Instance(int32_t seed);
    ~Instance();
    Instance(const Instance&) = delete;

    // Lets system tasks find this context, and the time in it.
    void at_time(uint64_t time);
    // What an eval comes to that has thrown nothing.
    uint32_t status() { return context.gotFinish() ? finished() : RUNNING; }
    // What one comes to that has thrown `error`.
    uint32_t failed(const std::exception& error);

private:
    uint32_t finished();
};

// The runtime looks for some things through the thread. A thread must not keep a context that may go first, since a
// model may move on to another thread and end there.
struct Current final {
    explicit Current(Instance& instance);
    ~Current();
};

const char* failure(void* handle);
#if VM_TRACE
// The file that a model is to write its trace to, from `trace_begin` until `trace_close`.
VerilatedVcdC* trace_begin(Instance& instance);
void trace_ready(Instance& instance);
void trace_dump(void* handle, uint64_t time_ns);
void trace_close(void* handle);
const char* trace_text(void* handle, uint64_t* length);
#else
constexpr auto trace_dump = nullptr, trace_close = nullptr, trace_text = nullptr;
#endif
#if VM_COVERAGE
uint32_t coverage_write(void* handle, const char* path);
#else
constexpr auto coverage_write = nullptr;
#endif
const char* version();

}  // namespace respray

#endif
