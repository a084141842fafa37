// The C face of one verilated model. Included by a generated file that first defines
//
//   RESPRAY_HEADER         header of the model's class, e.g. "Vreps.h"
//   RESPRAY_CLASS          the class, e.g. Vreps
//   RESPRAY_SYMBOL         the one symbol that this file exports, e.g. respray_shim_reps
//   RESPRAY_PORTS(PORT)    PORT(member, "name", width in bits, direction, column) for each port; the direction is IN, OUT
//                          or CLOCK, the column the first 64-bit word in a row of all inputs or all outputs
//   RESPRAY_CLOCK          the member that is the clock, if there is one
//   RESPRAY_SYSTEM_TASKS   1 if the Verilog has system tasks: these find their context through the thread
//   RESPRAY_CYCLE_NS       nanoseconds of trace time in one cycle

#include RESPRAY_HEADER

#include "instance.h"

namespace {

using namespace respray;

struct Held final : Instance {
    RESPRAY_CLASS* top = nullptr;
    explicit Held(int32_t seed) : Instance(seed) {}
    ~Held() { delete top; }
};

// A handle points to the part that all models have.
Held& at(void* handle) { return static_cast<Held&>(*static_cast<Instance*>(handle)); }

void at_time(Held& self, uint64_t time) {
#if RESPRAY_SYSTEM_TASKS
    self.at_time(time);
#else
    (void)self, (void)time;
#endif
}

uint32_t eval(void* handle, uint64_t time) {
    Held& self = at(handle);
    at_time(self, time);
    try {
        self.top->eval();
    } catch (const std::exception& error) {
        return self.failed(error);
    }
    return self.status();
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
inline uint32_t cycle(Held& self, const uint64_t* inputs, uint64_t* outputs, uint64_t time) {
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
    return self.status();
}

// Up to `count` cycles, each with the next row of inputs and the next row of outputs, the first at `time`. They end with
// the one that finishes or fails, and before the one whose inputs are refused. Returns how many there were.
uint64_t cycles(
    void* handle, const uint64_t* inputs, uint64_t* outputs, uint64_t count, uint64_t time, uint32_t* status
) {
    Held& self = at(handle);
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
        *status = self.failed(error);
        return done + 1;
    }
    return done;
}
#else
constexpr auto cycles = nullptr;
#endif

// Makes a model with every input 0, as it stands after `initial` blocks. `status` is that of its first eval.
void* create(int32_t seed, uint32_t* status) {
    Held* const self = new Held(seed);
    const Current current(*self);
    try {
        self->top = new RESPRAY_CLASS(&self->context, "TOP");
    } catch (const std::exception&) {
        delete self;
        return nullptr;
    }
#define RESPRAY_CLEAR(member, name, width, direction, column) \
    if (direction != OUT) std::memset(&self->top->member, 0, sizeof self->top->member);
    RESPRAY_PORTS(RESPRAY_CLEAR)
#undef RESPRAY_CLEAR
    Instance* const handle = self;
    *status = eval(handle, 0);
    return handle;
}

void destroy(void* handle) {
    Held* const self = &at(handle);
    const Current current(*self);
    try {
        self->top->final();
    } catch (const std::exception&) {
        // A model that failed has nothing left to say.
    }
    delete self;
}

// `index` is that of `ports`, below its length.
void* address(void* handle, uint32_t index) {
    RESPRAY_CLASS& top = *at(handle).top;
#define RESPRAY_ADDRESS(member, name, width, direction, column) &top.member,
    void* const addresses[] = {RESPRAY_PORTS(RESPRAY_ADDRESS) nullptr};
#undef RESPRAY_ADDRESS
    return addresses[index];
}

#if VM_TRACE
void trace_open(void* handle) {
    Held& self = at(handle);
    const Current current(self);
    self.top->trace(trace_begin(self), 99);
    trace_ready(self);
}
#else
constexpr auto trace_open = nullptr;
#endif

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
