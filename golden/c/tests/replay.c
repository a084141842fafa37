// Replays ops, or the script of a run of `nic`, through the C interface, and prints what comes of it.
//
//   replay ops CORE SEED COUNT    the count, and a hash of all words of all results
//   replay nic SCRIPT             the answer to each line of the script
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "respray_golden.h"

#define LONGEST 65536

static void must(int32_t code) {
    if (code != RESPRAY_OK) {
        fprintf(stderr, "replay: %s (code %d)\n", respray_error(), code);
        exit(1);
    }
}

static uint64_t opened(const char *core, const char *config) {
    uint64_t model;
    must(respray_open(core, config, &model));
    return model;
}

static void ops(const char *core, uint64_t seed, uint64_t count) {
    uint64_t model = opened(core, "connections = 16");
    uint32_t op_words, result_words;
    must(respray_words(model, RESPRAY_ROWS_IN, 0, &op_words));
    must(respray_words(model, RESPRAY_ROWS_OUT, 0, &result_words));
    uint64_t *rows = calloc(count, op_words * sizeof *rows);
    uint64_t *results = calloc(count, result_words * sizeof *results);
    must(respray_random(model, seed, count, rows, op_words));
    must(respray_apply(model, count, rows, op_words, results, result_words));
    uint64_t hash = 0;
    for (uint64_t at = 0; at < count * result_words; at++) hash = (hash ^ results[at]) * 0x100000001b3;
    printf("%s %llu %016llx\n", core, (unsigned long long)count, (unsigned long long)hash);
    free(rows);
    free(results);
    must(respray_close(model));
}

static void taken(uint64_t model, uint32_t output, const char *name) {
    static uint8_t frame[LONGEST];
    uint64_t bytes, beside[64];
    uint32_t words;
    must(respray_words(model, RESPRAY_ROWS_OUT, output, &words));
    int32_t code = respray_pop(model, output, frame, sizeof frame, &bytes, beside, words);
    printf("%s ", name);
    if (code == RESPRAY_EMPTY) {
        puts("-");
        return;
    }
    must(code);
    for (uint64_t at = 0; at < bytes; at++) printf("%02x", frame[at]);
    for (uint32_t at = 0; at < words; at++) printf(" %llu", (unsigned long long)beside[at]);
    putchar('\n');
}

static void put(uint64_t model, uint32_t input, const char *name, const char *hex) {
    static uint8_t frame[LONGEST];
    uint64_t bytes = 0, beside = 0;
    unsigned byte;
    for (; sscanf(hex + 2 * bytes, "%2x", &byte) == 1; bytes++) frame[bytes] = (uint8_t)byte;
    int32_t code = respray_push(model, input, frame, bytes, &beside, 1);
    if (code != RESPRAY_FULL) must(code);
    printf("%s %d\n", name, code == RESPRAY_OK);
}

static void nic(const char *path) {
    static char line[2 * LONGEST + 64], hex[2 * LONGEST + 64];
    FILE *script = fopen(path, "r");
    if (script == NULL) {
        perror(path);
        exit(1);
    }
    uint64_t model = opened("nic", "connections = 16");
    while (fgets(line, sizeof line, script) != NULL) {
        unsigned long long cycles;
        uint32_t address, value;
        if (sscanf(line, "advance %llu", &cycles) == 1) {
            must(respray_advance(model, cycles));
        } else if (sscanf(line, "write %u %u", &address, &value) == 2) {
            must(respray_write(model, address, value));
        } else if (sscanf(line, "read %u", &address) == 1) {
            must(respray_read(model, address, &value));
            printf("read %u\n", value);
        } else if (strncmp(line, "tx_out", 6) == 0) {
            taken(model, 0, "tx_out");
        } else if (strncmp(line, "rx_out", 6) == 0) {
            taken(model, 1, "rx_out");
        } else if (sscanf(line, "tx %s", hex) == 1) {
            put(model, 0, "tx", hex);
        } else if (sscanf(line, "rx %s", hex) == 1) {
            put(model, 1, "rx", hex);
        } else {
            taken(model, 2, "event");
        }
    }
    fclose(script);
    must(respray_close(model));
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "ops") == 0) {
        ops(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    } else if (argc == 3 && strcmp(argv[1], "nic") == 0) {
        nic(argv[2]);
    } else {
        fprintf(stderr, "replay ops CORE SEED COUNT, or replay nic SCRIPT\n");
        return 2;
    }
    return 0;
}
