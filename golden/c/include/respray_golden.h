// The golden models of respray behind a C interface: docs/models.md has examples.
// Made by `make header` from golden/c/src. Do not edit.

#ifndef RESPRAY_GOLDEN_H
#define RESPRAY_GOLDEN_H

#include <stdint.h>

// What came of a call.
typedef enum RESPRAY {
  // It was done.
  RESPRAY_OK = 0,
  // There is no such core, or none that can be had here.
  RESPRAY_CORE = 1,
  // The configuration is refused.
  RESPRAY_CONFIG = 2,
  // There is no open model of that number: it was closed, or never opened.
  RESPRAY_CLOSED = 3,
  // Another thread is in a call of this model.
  RESPRAY_BUSY = 4,
  // A row or a buffer has another size than the model needs.
  RESPRAY_SIZE = 5,
  // A value is outside its range.
  RESPRAY_VALUE = 6,
  // The model does not have what was asked for.
  RESPRAY_MISSING = 7,
  // Nothing waits at that output.
  RESPRAY_EMPTY = 8,
  // The input pauses: what waits in the model has to be taken first.
  RESPRAY_FULL = 9,
  // The access to a register is refused, with SLVERR on AXI4-Lite.
  RESPRAY_REFUSED = 10,
  // A file cannot be read.
  RESPRAY_FILE = 11,
  // A pointer is null, or a text is not UTF-8.
  RESPRAY_ARGUMENT = 12,
  // The model broke down: an error of respray. It can only be closed.
  RESPRAY_BROKEN = 13,
} RESPRAY;

// Which rows of a model are meant.
typedef enum RESPRAY_ROWS {
  // What goes in: ops, or what goes beside a frame.
  RESPRAY_ROWS_IN = 0,
  // What comes out: results, or what comes beside a frame.
  RESPRAY_ROWS_OUT = 1,
} RESPRAY_ROWS;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Version of respray.
const char *respray_version(void);

// What was wrong with the last call of this thread that failed, in a sentence of at most 2047 bytes. It stays until the next one
// that fails.
const char *respray_error(void);

// Opens a model of a core, or of `nic`, and gives its number. The configuration is TOML, as in nic.toml; a key that is not given has its
// default, and an empty text is the default configuration. The model is as after `rst`, with 1 at the port `seed`.
//
// # Safety
// Texts end with a zero, `model` points to a number.
enum RESPRAY respray_open(const char *core,
                          const char *config,
                          uint64_t *model);

// Closes a model. Its number is never used again.
enum RESPRAY respray_close(uint64_t model);

// All that is known of a model, as JSON: its configuration, the words of its rows, the kinds of its ops, its registers. It stays until the
// next text that is given to this thread. It is empty if the call failed.
const char *respray_describe(uint64_t model);

// Words of the rows of an input (`rows` 0) or of an output (`rows` 1), of which `lane` is the number.
//
// # Safety
// `words` points to a number.
enum RESPRAY respray_words(uint64_t model, int32_t rows, uint32_t lane, uint32_t *words);

// Place of a word in such rows, by its name.
//
// # Safety
// `name` ends with a zero, `at` points to a number.
enum RESPRAY respray_place(uint64_t model, int32_t rows, uint32_t lane, const char *name, uint32_t *at);

// The words of a result that the core promises in every cycle, a bit for each as in the first word of a result: an op shows something
// where one of them is not 0.
//
// # Safety
// `pulses` points to a word.
enum RESPRAY respray_pulses(uint64_t model,
                            uint64_t *pulses);

// As after `rst`, with this value at the port `seed`, 0 to 65535. The seed of `nic` is a register.
enum RESPRAY respray_reset(uint64_t model, uint32_t seed);

// Executes `count` ops, rows of `op_words` words, and writes a row of `result_words` words for each. The first word of a result says which
// of the others the core promises, a bit for each from bit 0 on; one that it does not promise is 0.
//
// # Safety
// `ops` and `results` point to so many rows.
enum RESPRAY respray_apply(uint64_t model,
                           uint64_t count,
                           const uint64_t *ops,
                           uint64_t op_words,
                           uint64_t *results,
                           uint64_t result_words);

// The core visits a connection, or a bucket, by itself, while this row stands at its inputs: a core that has an input `visit` does so. The
// walker of `caver` comes to the places of its tables in turn, and `connection` is not looked at.
//
// # Safety
// `inputs` and `result` point to a row each.
enum RESPRAY respray_visit(uint64_t model,
                           uint32_t connection,
                           const uint64_t *inputs,
                           uint64_t op_words,
                           uint64_t *result,
                           uint64_t result_words);

// Writes `count` random ops, those of `respray cosim --random` without its resets and pauses.
//
// # Safety
// `ops` points to so many rows.
enum RESPRAY respray_random(uint64_t model, uint64_t seed, uint64_t count, uint64_t *ops, uint64_t op_words);

// Reads an op trace (`.csv`, `.csv.gz`) or a capture (any other name) as ops of the model; says how many rows it has, and the seed.
//
// # Safety
// `path` ends with a zero, `count` and `seed` point to a number each.
enum RESPRAY respray_load(uint64_t model,
                          const char *path,
                          uint64_t *count,
                          uint32_t *seed);

// Draws `count` random ops, those of [`respray_random`], as what [`respray_loaded`] gives row by row.
enum RESPRAY respray_draw(uint64_t model, uint64_t seed, uint64_t count);

// Writes `count` rows of what was loaded, from row `first` on. The first word is 0 for an op, whose words are those behind it, 1 for a reset
// and 2 for a reset with the seed in the word behind it; a row has one word more than an op.
//
// # Safety
// `loaded` points to so many rows.
enum RESPRAY respray_loaded(uint64_t model,
                            uint64_t first,
                            uint64_t count,
                            uint64_t *loaded,
                            uint64_t row_words);

// Sets what a driver sets, by its name: a setting of a core that frames stream through, or a register of `nic`.
//
// # Safety
// `name` ends with a zero.
enum RESPRAY respray_set(uint64_t model,
                         const char *name,
                         uint64_t value);

// Address of a register of `nic`.
//
// # Safety
// `name` ends with a zero, `address` points to a number.
enum RESPRAY respray_address(uint64_t model, const char *name, uint32_t *address);

// Reads a register of `nic`.
//
// # Safety
// `value` points to a number.
enum RESPRAY respray_read(uint64_t model, uint32_t address, uint32_t *value);

// Writes a register of `nic`. A command is done when this returns.
enum RESPRAY respray_write(uint64_t model, uint32_t address, uint32_t value);

// Time of `nic` goes on to a clock cycle, counted from the reset.
enum RESPRAY respray_advance(uint64_t model, uint64_t cycles);

// A frame goes in at an input, from the destination MAC address on and without frame check sequence, with a row of words beside it. An op
// goes in as a row beside an empty frame, and so does the row at the inputs at a `visit` or a `decay` of the core's own; its result is kept
// for [`respray_pop`] if one of its pulses is not 0.
//
// # Safety
// `frame` points to so many bytes, `beside` to so many words.
enum RESPRAY respray_push(uint64_t model,
                          uint32_t input,
                          const uint8_t *frame,
                          uint64_t bytes,
                          const uint64_t *beside,
                          uint64_t words);

// Takes the next frame of an output and the row beside it; `bytes` says how long the frame is. If it is longer than `capacity` it stays.
//
// # Safety
// `frame` points to `capacity` bytes, `bytes` to a number, `beside` to so many words.
enum RESPRAY respray_pop(uint64_t model,
                         uint32_t output,
                         uint8_t *frame,
                         uint64_t capacity,
                         uint64_t *bytes,
                         uint64_t *beside,
                         uint64_t words);

// How many frames, records or events wait at an output. The model has handed them out then, as if each had been taken at once.
//
// # Safety
// `due` points to a number.
enum RESPRAY respray_due(uint64_t model,
                         uint32_t output,
                         uint64_t *due);

// Appends 1 to 8 bytes to the frame that this thread hands over word by word, the first one in bits 7:0: for SystemVerilog, whose arrays of
// any size are no pointers.
enum RESPRAY respray_stage(uint64_t word,
                           uint32_t bytes);

// [`respray_push`] of the frame that was handed over word by word, which is empty behind it whatever came of the call.
//
// # Safety
// `beside` points to so many words.
enum RESPRAY respray_push_staged(uint64_t model,
                                 uint32_t input,
                                 const uint64_t *beside,
                                 uint64_t words);

// [`respray_pop`] into a frame of this thread that [`respray_staged`] gives word by word.
//
// # Safety
// `bytes` points to a number, `beside` to so many words.
enum RESPRAY respray_pop_staged(uint64_t model,
                                uint32_t output,
                                uint64_t *bytes,
                                uint64_t *beside,
                                uint64_t words);

// Eight bytes of the frame that was taken last, from byte `at` on; bytes behind its end are 0.
uint64_t respray_staged(uint64_t at);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RESPRAY_GOLDEN_H */
