// Lets the crate `verilated`, written for Verilator 4, compile against Verilator 5.
//
// Force-included by `.cargo/config.toml`. It only restores names that Verilator 5 dropped; nothing of the project's
// own binding goes through them.
#ifndef RESPRAY_VERILATED5_COMPAT_H
#define RESPRAY_VERILATED5_COMPAT_H
#ifdef __cplusplus
#ifdef VERILATOR_VERSION_MAJOR
#if VERILATOR_VERSION_MAJOR >= 5
#include "verilated.h"
#include "verilated_vcd_c.h"
typedef void (*VerilatedVoidCb)();
#define flushCb(callback) runFlushCallbacks()
#define rolloverMB(mb) rolloverSize(static_cast<uint64_t>(mb) << 20)
#endif
#endif
#endif
#endif
