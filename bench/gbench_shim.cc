// Google Benchmark behind the C interface of gbench_shim.h.
#include "gbench_shim.h"

#include <benchmark/benchmark.h>

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

struct gbench_state {
    benchmark::State &state;
};

namespace
{

// ---- One run ------------------------------------------------------------------------------------

// Releases before 1.8.0 know one kind of skipping, which takes a C string and is an error. What the
// header declares decides, not a version number.
template <class State>
auto Skip(State &state, const char *message, int) -> decltype(state.SkipWithMessage(message))
{
    state.SkipWithMessage(message);
}

template <class State> void Skip(State &state, const char *message, long)
{
    state.SkipWithError(message);
}

template <class State>
auto Skipped(const State &state, int) -> decltype(static_cast<bool>(state.skipped()))
{
    return state.skipped();
}

template <class State> bool Skipped(const State &state, long)
{
    return state.error_occurred();
}

// A batch never goes beyond the iterations asked for, as KeepRunningBatch() by itself would: the
// memory pass divides by them.
void Run(benchmark::State &state, const gbench_benchmark &what)
{
    gbench_state self{state};
    void *local = nullptr;
    if (what.start != nullptr)
        what.start(&self, what.argument, &local);
    benchmark::IterationCount left = state.max_iterations;
    const auto most = static_cast<benchmark::IterationCount>(what.batch_size);
    for (;;) {
        const auto count = left < 1 ? 1 : left < most ? left : most;
        if (!state.KeepRunningBatch(count))
            break;
        what.batch(&self, what.argument, local, static_cast<uint64_t>(count));
        left -= count;
    }
    if (what.stop != nullptr)
        what.stop(&self, what.argument, local);
}

// ---- Registration -------------------------------------------------------------------------------

bool IsValid(const gbench_benchmark &what)
{
    if (what.name == nullptr || *what.name == '\0' || what.batch == nullptr ||
        what.repetitions < 0 || !(what.min_time_s >= 0) || std::isinf(what.min_time_s) ||
        (what.min_time_s > 0 && what.iterations > 0) || what.iterations > INT64_MAX ||
        what.batch_size > INT64_MAX || what.threads_from < 0 ||
        what.threads_to < what.threads_from || (what.threads_to > 0 && what.threads_from == 0) ||
        (what.range_count > 0 && what.ranges == nullptr))
        return false;
    for (size_t i = 0; i < what.range_count; i++) {
        const gbench_range &range = what.ranges[i];
        if (range.from < 0 || range.to < range.from || range.to > INT64_MAX / 2 ||
            range.multiplier < 0 || range.multiplier == 1 || range.step < 0)
            return false;
    }
    return true;
}

std::vector<int64_t> Values(const gbench_range &range)
{
    if (range.multiplier > 0)
        return benchmark::CreateRange(range.from, range.to, range.multiplier);
    std::vector<int64_t> values;
    const int64_t step = range.step == 0 ? 1 : range.step;
    for (int64_t value = range.from; value <= range.to; value += step)
        values.push_back(value);
    if (values.back() != range.to)
        values.push_back(range.to);
    return values;
}

benchmark::BigO Complexity(gbench_complexity complexity)
{
    switch (complexity) {
    case GBENCH_COMPLEXITY_1:
        return benchmark::o1;
    case GBENCH_COMPLEXITY_LOG_N:
        return benchmark::oLogN;
    case GBENCH_COMPLEXITY_N:
        return benchmark::oN;
    case GBENCH_COMPLEXITY_N_LOG_N:
        return benchmark::oNLogN;
    case GBENCH_COMPLEXITY_N_SQUARED:
        return benchmark::oNSquared;
    case GBENCH_COMPLEXITY_N_CUBED:
        return benchmark::oNCubed;
    case GBENCH_COMPLEXITY_AUTO:
        return benchmark::oAuto;
    case GBENCH_COMPLEXITY_NONE:
        break;
    }
    return benchmark::oNone;
}

// `registered` is benchmark::internal::Benchmark or benchmark::Benchmark: that moved.
template <class Registered> void Configure(Registered *registered, const gbench_benchmark &what)
{
    static const benchmark::TimeUnit units[] = {benchmark::kNanosecond, benchmark::kMicrosecond,
                                                benchmark::kMillisecond, benchmark::kSecond};
    if (what.range_count > 0) {
        std::vector<std::vector<int64_t>> values;
        std::vector<std::string> names;
        bool named = false;
        for (size_t i = 0; i < what.range_count; i++) {
            const char *name = what.ranges[i].name;
            values.push_back(Values(what.ranges[i]));
            names.push_back(name == nullptr ? "" : name);
            named = named || name != nullptr;
        }
        registered->ArgsProduct(values);
        if (named)
            registered->ArgNames(names);
    }
    if (what.unit != GBENCH_UNIT_DEFAULT)
        registered->Unit(units[what.unit - GBENCH_NS]);
    if (what.clock == GBENCH_CLOCK_REAL)
        registered->UseRealTime();
    if (what.clock == GBENCH_CLOCK_MANUAL)
        registered->UseManualTime();
    if (what.clock == GBENCH_CLOCK_PROCESS)
        registered->MeasureProcessCPUTime();
    if (what.complexity != GBENCH_COMPLEXITY_NONE)
        registered->Complexity(Complexity(what.complexity));
    if (what.repetitions > 0)
        registered->Repetitions(what.repetitions);
    if (what.min_time_s > 0)
        registered->MinTime(what.min_time_s);
    if (what.iterations > 0)
        registered->Iterations(static_cast<benchmark::IterationCount>(what.iterations));
    if (what.threads_from > 0)
        registered->ThreadRange(what.threads_from, what.threads_to);
}

// ---- Reports ------------------------------------------------------------------------------------

using Runs = std::vector<benchmark::BenchmarkReporter::Run>;

// In releases where a run points to its memory result, it points into a vector that grows with each
// repetition: only the last one's pointer is good (seen in 1.7.1: the others' bytes are random).
template <class Result> void ForgetMemory(const Result *&result)
{
    result = nullptr;
}

template <class Result> void ForgetMemory(Result &)
{
}

// Without what would print as NaN or infinity, which neither JSON nor most readers of CSV know: an
// aggregate that cannot be computed (the deviation of zero times, a fit through nothing), a rate
// over no time.
Runs Finite(const Runs &all)
{
    Runs finite;
    for (const auto &run : all) {
        const bool aggregate = run.run_type == benchmark::BenchmarkReporter::Run::RT_Aggregate;
        if (aggregate &&
            !(std::isfinite(run.real_accumulated_time) && std::isfinite(run.cpu_accumulated_time) &&
              std::isfinite(run.GetAdjustedRealTime()) && std::isfinite(run.GetAdjustedCPUTime())))
            continue;
        finite.push_back(run);
        if (run.repetition_index + 1 < run.repetitions)
            ForgetMemory(finite.back().memory_result);
        auto &counters = finite.back().counters;
        for (auto counter = counters.begin(); counter != counters.end();)
            counter =
                std::isfinite(counter->second.value) ? std::next(counter) : counters.erase(counter);
    }
    return finite;
}

class StrictJSONReporter : public benchmark::JSONReporter
{
  public:
    void ReportRuns(const Runs &runs) override
    {
        const Runs finite = Finite(runs);
        if (!finite.empty()) // an empty group would leave a comma too much
            JSONReporter::ReportRuns(finite);
    }
};

// CSVReporter is deprecated, and aborts at a counter that the first group did not have.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
class StrictCSVReporter : public benchmark::CSVReporter
{
  public:
    void ReportRuns(const Runs &runs) override
    {
        const Runs finite = Finite(runs);
        runs_.insert(runs_.end(), finite.begin(), finite.end());
    }

    void Finalize() override
    {
        if (!runs_.empty())
            CSVReporter::ReportRuns(runs_);
        CSVReporter::Finalize();
    }

  private:
    Runs runs_;
};
#pragma GCC diagnostic pop

// The library keeps these options to itself: read as it reads them, argument before environment.
struct Formats {
    std::string display = "console", file = "json", out;
} formats;

void ReadOption(const char *name, int argc, char **argv, std::string &value)
{
    const std::string prefix = std::string("--") + name + "=";
    std::string variable;
    for (const char *letter = name; *letter != '\0'; letter++)
        variable += static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)));
    if (const char *given = std::getenv(variable.c_str()))
        value = given;
    for (int i = 1; i < argc; i++)
        if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) == 0)
            value = argv[i] + prefix.size();
}

std::unique_ptr<benchmark::BenchmarkReporter> StrictReporter(const std::string &format)
{
    std::unique_ptr<benchmark::BenchmarkReporter> reporter;
    if (format == "json")
        reporter.reset(new StrictJSONReporter);
    else if (format == "csv")
        reporter.reset(new StrictCSVReporter);
    return reporter; // empty: the library's own
}

// ---- Memory -------------------------------------------------------------------------------------

// Stop() takes a pointer in older releases and a reference in newer ones. Nothing here says
// `override`: no release has both to be overridden.
class Memory : public benchmark::MemoryManager
{
  public:
    gbench_memory functions{};

    void Start()
    {
        functions.start(functions.argument);
    }

    void Stop(Result *result)
    {
        gbench_memory_result measured{0, 0};
        functions.stop(functions.argument, &measured);
        result->num_allocs = measured.allocations;
        result->max_bytes_used = measured.peak_bytes;
    }

    void Stop(Result &result)
    {
        Stop(&result);
    }
} memory;

} // namespace

// ---- The interface ------------------------------------------------------------------------------

void gbench_init(int *argc, char **argv)
{
    ReadOption("benchmark_format", *argc, argv, formats.display);
    ReadOption("benchmark_out_format", *argc, argv, formats.file);
    ReadOption("benchmark_out", *argc, argv, formats.out);
    benchmark::Initialize(argc, argv);
}

int gbench_unrecognized(int argc, char **argv)
{
    benchmark::ReportUnrecognizedArguments(argc, argv);
    return argc - 1;
}

void gbench_context(const char *key, const char *value)
{
    benchmark::AddCustomContext(key, value);
}

int gbench_register(const gbench_benchmark *benchmark)
{
    if (!IsValid(*benchmark)) {
        errno = EINVAL;
        return -1;
    }
    try {
        gbench_benchmark what = *benchmark; // its name and ranges are not looked at again
        if (what.batch_size == 0)
            what.batch_size = 1000;
        auto *registered = benchmark::RegisterBenchmark(
            what.name, [what](benchmark::State &state) { Run(state, what); });
        Configure(registered, what);
    } catch (const std::bad_alloc &) {
        errno = ENOMEM;
        return -1;
    }
    return 0;
}

size_t gbench_run(void)
{
    auto display = StrictReporter(formats.display);
    std::unique_ptr<benchmark::BenchmarkReporter> file;
    if (!formats.out.empty())
        file = StrictReporter(formats.file);
    return benchmark::RunSpecifiedBenchmarks(display.get(), file.get());
}

void gbench_shutdown(void)
{
    benchmark::Shutdown();
}

int64_t gbench_value(const gbench_state *state, size_t index)
{
    return state->state.range(index);
}

int gbench_threads(const gbench_state *state)
{
    return state->state.threads();
}

int gbench_thread_index(const gbench_state *state)
{
    return state->state.thread_index();
}

uint64_t gbench_iterations_asked(const gbench_state *state)
{
    return static_cast<uint64_t>(state->state.max_iterations);
}

uint64_t gbench_iterations(const gbench_state *state)
{
    return static_cast<uint64_t>(state->state.iterations());
}

void gbench_pause(gbench_state *state)
{
    state->state.PauseTiming();
}

void gbench_resume(gbench_state *state)
{
    state->state.ResumeTiming();
}

void gbench_set_time(gbench_state *state, double seconds)
{
    state->state.SetIterationTime(seconds);
}

void gbench_skip(gbench_state *state, const char *message)
{
    Skip(state->state, message, 0);
}

void gbench_fail(gbench_state *state, const char *message)
{
    state->state.SkipWithError(message);
}

int gbench_skipped(const gbench_state *state)
{
    return Skipped(state->state, 0);
}

int gbench_counter(gbench_state *state, const char *name, double value, unsigned flags)
{
    if (!std::isfinite(value)) {
        errno = EDOM;
        return -1;
    }
    int library = benchmark::Counter::kDefaults;
    if (flags & GBENCH_COUNTER_RATE)
        library |= benchmark::Counter::kIsRate;
    if (flags & GBENCH_COUNTER_PER_ITERATION)
        library |= benchmark::Counter::kAvgIterations;
    if (flags & GBENCH_COUNTER_PER_THREAD)
        library |= benchmark::Counter::kAvgThreads;
    try {
        state->state.counters[name] =
            benchmark::Counter(value, static_cast<benchmark::Counter::Flags>(library));
    } catch (const std::bad_alloc &) {
        errno = ENOMEM;
        return -1;
    }
    return 0;
}

void gbench_label(gbench_state *state, const char *text)
{
    state->state.SetLabel(text);
}

void gbench_set_complexity(gbench_state *state, int64_t n)
{
    state->state.SetComplexityN(n);
}

void gbench_set_memory(const gbench_memory *functions)
{
    if (functions != nullptr)
        memory.functions = *functions;
    benchmark::RegisterMemoryManager(functions == nullptr ? nullptr : &memory);
}
