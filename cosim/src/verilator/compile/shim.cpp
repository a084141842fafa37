// The C face of one verilated model. Included by a generated file that first defines
//
//   RESPRAY_HEADER         header of the model's class, e.g. "Vreps.h"
//   RESPRAY_CLASS          the class, e.g. Vreps
//   RESPRAY_SYMBOL         the one symbol that this file exports, e.g. respray_shim_reps
//   RESPRAY_PORTS(PORT)    PORT(member, "name", width in bits, direction, column) for each port; the direction is IN, OUT
//                          or CLOCK, the column the first 64-bit word in a row of all inputs or all outputs
//   RESPRAY_CLOCK          the member that is the clock, if there is one
//   RESPRAY_SYSTEM_TASKS   1 if the Verilog has system tasks: these find their context through the thread
//   RESPRAY_OWN_HOOKS      1 if the runtime leaves vl_finish, vl_stop, vl_fatal and vl_warn to this file
//
// The structs below are mirrored in abi.rs.

#include RESPRAY_HEADER

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
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

namespace {

constexpr uint32_t ABI = 5;
enum Status : uint32_t { RUNNING = 0, FINISHED = 1, FAILED = 2, REFUSED = 3 };
enum Direction : uint32_t { IN = 0, OUT = 1, CLOCK = 2 };

struct Failure final : std::exception {
    std::string text;
    explicit Failure(std::string text) : text(std::move(text)) {}
    const char* what() const noexcept override { return text.c_str(); }
};

#if VM_TRACE
// Keeps the VCD that Verilator writes until the caller takes it: no file is written, so that none can be torn.
struct TraceText final : VerilatedVcdFile {
    std::string text;
    std::string taken;
    bool open(const std::string&) override { return true; }
    void close() override {}
    ssize_t write(const char* bytes, ssize_t length) override {
        text.append(bytes, static_cast<size_t>(length));
        return length;
    }
};
#endif

// Where the Verilog called `$finish`; Verilator's own context keeps only that it did.
struct ModelContext final : VerilatedContext {
    std::string finish = "$finish";
};

struct Instance {
    ModelContext context;  // first, so that it outlives the model
    std::unique_ptr<RESPRAY_CLASS> top;
    std::string failure;
#if VM_TRACE
    TraceText trace_text;  // before the trace, which writes to it when it ends
    std::unique_ptr<VerilatedVcdC> trace;
#endif
};

Instance& at(void* handle) { return *static_cast<Instance*>(handle); }

void at_time(Instance& self, uint64_t time) {
#if RESPRAY_SYSTEM_TASKS
    Verilated::threadContextp(&self.context);
    self.context.time(time);
#else
    (void)self, (void)time;
#endif
}

// What an eval comes to that has thrown nothing.
uint32_t status_of(Instance& self) {
    if (!self.context.gotFinish()) return RUNNING;
    self.failure = self.context.finish;
    return FINISHED;
}

uint32_t eval(void* handle, uint64_t time) {
    Instance& self = at(handle);
    at_time(self, time);
    try {
        self.top->eval();
    } catch (const std::exception& error) {
        self.failure = error.what();
        return FAILED;
    }
    return status_of(self);
}

#ifdef RESPRAY_CLOCK
// Bits beyond the width of an input, which Verilator's code relies on being 0.
template <uint32_t width>
uint64_t beyond(const uint64_t* row) {
    return width % 64 ? row[width / 64] >> (width % 64) : 0;
}

template <uint32_t width, typename Member>
void drive(Member& member, const uint64_t* row) {
    if constexpr (width <= 64) {
        member = static_cast<Member>(*row);
    } else {
        std::memcpy(&member, row, sizeof member);
    }
}

template <uint32_t width, typename Member>
void sample(const Member& member, uint64_t* row) {
    if constexpr (width <= 64) {
        *row = member;
    } else {
        if constexpr (width % 64) row[width / 64] = 0;  // the half of it that an odd number of 32-bit words leaves
        std::memcpy(row, &member, sizeof member);
    }
}

// 64-bit words of a row of all inputs or of all outputs.
constexpr uint32_t row_words(Direction wanted) {
    uint32_t words = 0;
#define RESPRAY_END(member, name, width, direction, column) \
    if (direction == wanted && column + (width + 63) / 64 > words) words = column + (width + 63) / 64;
    RESPRAY_PORTS(RESPRAY_END)
#undef RESPRAY_END
    return words;
}

// A whole cycle with ports as constants: all inputs, clock low, all outputs, clock high. It throws what the model throws.
inline uint32_t cycle(Instance& self, const uint64_t* inputs, uint64_t* outputs, uint64_t time) {
    RESPRAY_CLASS& top = *self.top;
    uint64_t refused = 0;
#define RESPRAY_CHECK(member, name, width, direction, column) \
    if constexpr (direction == IN) refused |= beyond<width>(inputs + column);
    RESPRAY_PORTS(RESPRAY_CHECK)
#undef RESPRAY_CHECK
    if (refused) return REFUSED;
#define RESPRAY_DRIVE(member, name, width, direction, column) \
    if constexpr (direction == IN) drive<width>(top.member, inputs + column);
    RESPRAY_PORTS(RESPRAY_DRIVE)
#undef RESPRAY_DRIVE
    at_time(self, time);
    top.RESPRAY_CLOCK = 0;
    top.eval();
#define RESPRAY_SAMPLE(member, name, width, direction, column) \
    if constexpr (direction == OUT) sample<width>(top.member, outputs + column);
    RESPRAY_PORTS(RESPRAY_SAMPLE)
#undef RESPRAY_SAMPLE
    at_time(self, time + RESPRAY_CYCLE_NS / 2);
    top.RESPRAY_CLOCK = 1;
    top.eval();
    return status_of(self);
}

// Up to `count` cycles, each with the next row of inputs and the next row of outputs, the first at `time`. They end with
// the one that finishes or fails, and before the one whose inputs are refused. Returns how many there were.
uint64_t cycles(
    void* handle, const uint64_t* inputs, uint64_t* outputs, uint64_t count, uint64_t time, uint32_t* status
) {
    Instance& self = at(handle);
    uint64_t done = 0;
    try {
        while (done < count) {
            *status = cycle(self, inputs, outputs, time + done * RESPRAY_CYCLE_NS);
            if (*status == REFUSED) return done;
            ++done;
            if (*status != RUNNING) return done;
            inputs += row_words(IN);
            outputs += row_words(OUT);
        }
    } catch (const std::exception& error) {
        self.failure = error.what();
        *status = FAILED;
        return done + 1;
    }
    return done;
}
#else
constexpr auto cycles = nullptr;
#endif

// The runtime looks for some things through the thread. A thread must not keep a context that may go first, since a
// model may move on to another thread and end there.
struct Context final {
    explicit Context(VerilatedContext& context) { Verilated::threadContextp(&context); }
    ~Context() { Verilated::threadContextp(Verilated::defaultContextp()); }
};

// Makes a model with every input 0, as it stands after `initial` blocks. `status` is that of its first eval.
void* create(int32_t seed, uint32_t* status) {
    auto self = std::make_unique<Instance>();
    const Context current(self->context);
    self->context.randReset(2);
    self->context.randSeed(seed);  // this thread's generator restarts from it at its next use
    self->context.fatalOnError(false);
#if VM_TRACE
    self->context.traceEverOn(true);
#endif
    try {
        self->top = std::make_unique<RESPRAY_CLASS>(&self->context, "TOP");
    } catch (const std::exception&) {
        return nullptr;
    }
#define RESPRAY_CLEAR(member, name, width, direction, column) \
    if (direction != OUT) std::memset(&self->top->member, 0, sizeof self->top->member);
    RESPRAY_PORTS(RESPRAY_CLEAR)
#undef RESPRAY_CLEAR
    *status = eval(self.get(), 0);
    return self.release();
}

void destroy(void* handle) {
    std::unique_ptr<Instance> self(static_cast<Instance*>(handle));
    const Context current(self->context);
    try {
        self->top->final();
    } catch (const std::exception&) {
        // A model that failed has nothing left to say.
    }
    self->top.reset();
}

// `index` is that of `ports`, below its length.
void* address(void* handle, uint32_t index) {
    RESPRAY_CLASS& top = *at(handle).top;
#define RESPRAY_ADDRESS(member, name, width, direction, column) &top.member,
    void* const addresses[] = {RESPRAY_PORTS(RESPRAY_ADDRESS) nullptr};
#undef RESPRAY_ADDRESS
    return addresses[index];
}

const char* failure(void* handle) { return at(handle).failure.c_str(); }

#if VM_TRACE
void trace_open(void* handle) {
    Instance& self = at(handle);
    const Context current(self.context);
    self.trace_text.text.clear();
    self.trace = std::make_unique<VerilatedVcdC>(&self.trace_text);
    self.top->trace(self.trace.get(), 99);
    self.trace->set_time_unit("1ns");
    self.trace->set_time_resolution("1ns");
    self.trace->open("");
}
void trace_dump(void* handle, uint64_t time_ns) { at(handle).trace->dump(time_ns); }
void trace_close(void* handle) {
    at(handle).trace->close();
    at(handle).trace.reset();
}
// The VCD that was written since the last call. It stays until the next one.
const char* trace_text(void* handle, uint64_t* length) {
    TraceText& trace = at(handle).trace_text;
    trace.taken.swap(trace.text);
    trace.text.clear();
    *length = trace.taken.size();
    return trace.taken.data();
}
#else
constexpr auto trace_open = nullptr, trace_dump = nullptr, trace_close = nullptr, trace_text = nullptr;
#endif

#if VM_COVERAGE
uint32_t coverage_write(void* handle, const char* path) {
    try {
        at(handle).context.coveragep()->write(path);
    } catch (const std::exception&) {
        return 0;
    }
    return 1;
}
#else
constexpr auto coverage_write = nullptr;
#endif

// The version of Verilator whose runtime this is.
const char* version() { return Verilated::productVersion(); }

const ResprayPort ports[] = {
#define RESPRAY_PORT(member, name, width, direction, column) {name, width, direction, column},
    RESPRAY_PORTS(RESPRAY_PORT)
#undef RESPRAY_PORT
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ResprayShim RESPRAY_SYMBOL;
const ResprayShim RESPRAY_SYMBOL = {
    ABI,  sizeof ports / sizeof ports[0], ports,   create,     destroy,    address,     eval,
    cycles, failure,                      trace_open, trace_dump, trace_close, trace_text, coverage_write,
    version,
};

#if RESPRAY_OWN_HOOKS
// The runtime's own versions end the process. These end the model: `eval` hands the text on.
static std::string place(const char* file, int line) {
    if (!file || !file[0]) return std::string();
    return std::string(file) + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": ";
}
void vl_finish(const char* file, int line, const char*) {
    auto* const context = static_cast<ModelContext*>(Verilated::threadContextp());
    context->finish = place(file, line) + "$finish";
    context->gotFinish(true);
}
void vl_stop(const char* file, int line, const char*) { throw Failure(place(file, line) + "$stop or a failed assertion"); }
void vl_fatal(const char* file, int line, const char*, const char* text) {
    std::string said(text);
    if (said.rfind("%Error: ", 0) == 0) said.erase(0, 8);
    throw Failure(place(file, line) + said);
}
// A memory that is not read leaves random contents, which the lockstep would show as differences of the core.
void vl_warn(const char* file, int line, const char*, const char* text) {
    if (std::strstr(text, "$readmem file not found")) throw Failure(place(file, line) + text);
    std::fprintf(stderr, "%s%s\n", place(file, line).c_str(), text);
}
#endif
