// The part of the C face that does not depend on the model; see instance.h. Compiled once for each flavour of the runtime.

#include "instance.h"

#include <cstdio>

#if VM_COVERAGE
#include "verilated_cov.h"
#endif

namespace respray {

#if VM_TRACE
namespace {

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

}  // namespace

struct Trace {
    TraceText text;  // before the file, which writes to it when it ends
    VerilatedVcdC* file = nullptr;
    ~Trace() { delete file; }
};
#endif

ModelContext::ModelContext() : finish("$finish") {}
ModelContext::~ModelContext() = default;

Instance::Instance(int32_t seed) {
    context.randReset(2);
    context.randSeed(seed);  // this thread's generator restarts from it at its next use
    context.fatalOnError(false);
#if VM_TRACE
    context.traceEverOn(true);
    trace = new Trace;
#endif
}

Instance::~Instance() {
#if VM_TRACE
    delete trace;
#endif
}

void Instance::at_time(uint64_t time) {
    Verilated::threadContextp(&context);
    context.time(time);
}

uint32_t Instance::finished() {
    failure = context.finish;
    return FINISHED;
}

uint32_t Instance::failed(const std::exception& error) {
    failure = error.what();
    return FAILED;
}

Current::Current(Instance& instance) { Verilated::threadContextp(&instance.context); }
Current::~Current() { Verilated::threadContextp(Verilated::defaultContextp()); }

static Instance& at(void* handle) { return *static_cast<Instance*>(handle); }

const char* failure(void* handle) { return at(handle).failure.c_str(); }

#if VM_TRACE
VerilatedVcdC* trace_begin(Instance& instance) {
    Trace& trace = *instance.trace;
    trace.text.text.clear();
    delete trace.file;
    trace.file = nullptr;
    trace.file = new VerilatedVcdC(&trace.text);
    return trace.file;
}
void trace_ready(Instance& instance) {
    VerilatedVcdC& file = *instance.trace->file;
    file.set_time_unit("1ns");
    file.set_time_resolution("1ns");
    file.open("");
}
void trace_dump(void* handle, uint64_t time_ns) { at(handle).trace->file->dump(time_ns); }
void trace_close(void* handle) {
    Trace& trace = *at(handle).trace;
    trace.file->close();
    delete trace.file;
    trace.file = nullptr;
}
// The VCD that was written since the last call. It stays until the next one.
const char* trace_text(void* handle, uint64_t* length) {
    TraceText& text = at(handle).trace->text;
    text.taken.swap(text.text);
    text.text.clear();
    *length = text.taken.size();
    return text.taken.data();
}
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
#endif

// The version of Verilator whose runtime this is.
const char* version() { return Verilated::productVersion(); }

}  // namespace respray

// The runtime of models that are loaded leaves these to this file; that of those that are linked in has its own.
#ifdef VL_USER_FINISH
namespace {

struct Failure final : std::exception {
    std::string text;
    explicit Failure(std::string text) : text(std::move(text)) {}
    const char* what() const noexcept override { return text.c_str(); }
};

std::string place(const char* file, int line) {
    if (!file || !file[0]) return std::string();
    return std::string(file) + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": ";
}

}  // namespace

// The runtime's own versions end the process. These end the model: `eval` hands the text on.
void vl_finish(const char* file, int line, const char*) {
    auto* const context = static_cast<respray::ModelContext*>(Verilated::threadContextp());
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
