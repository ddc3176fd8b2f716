#include "cotangent/kernel/llvm_jit.hpp"

#include <fmt/core.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCContext.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/kernel/llvm_emitter.hpp"
#include "cotangent/kernel/llvm_series.hpp"

namespace cotangent {
namespace {

template <class T>
T value_or_throw(llvm::Expected<T> expected) {
  if (!expected) throw std::runtime_error("kernel: LLVM: " + llvm::toString(expected.takeError()));
  return std::move(*expected);
}

void check(llvm::Error error) {
  if (error) throw std::runtime_error("kernel: LLVM: " + llvm::toString(std::move(error)));
}

llvm::orc::JITTargetMachineBuilder host() {
  static const bool initialized = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  COTANGENT_CHECK(initialized);
  return value_or_throw(llvm::orc::JITTargetMachineBuilder::detectHost());
}

std::unique_ptr<llvm::orc::LLJIT> make_linker(const llvm::orc::JITTargetMachineBuilder& machine) {
  return value_or_throw(llvm::orc::LLJITBuilder()
                            .setJITTargetMachineBuilder(machine)
                            .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                            .setLinkProcessSymbolsByDefault(false)
                            .create());
}

/// The passes from LLVM instructions to machine code that change kernels for the better.
///
/// What the emitter writes needs no optimisation of its own: common subexpressions are shared, what does not
/// depend on the instance stands before the loop, addresses are base plus index. So no pass runs before
/// instruction selection, and after it only those without which code got slower (hoisting constants out of
/// loops is one) or does not work. That is half the time of LLVM's default selection, for the same code.
class Pipeline : public llvm::TargetPassConfig {
 public:
  static void add_to(llvm::legacy::PassManager& passes, llvm::LLVMTargetMachine& machine,
                     llvm::raw_pwrite_stream& object) {
    llvm::TargetPassConfig& config = *machine.createPassConfig(passes);
    auto* information = new llvm::MachineModuleInfoWrapperPass(&machine);
    config.setDisableVerify(true);
    const auto disable = [&](auto*... unneeded) { (config.disablePass(unneeded), ...); };
    disable(&llvm::EarlyTailDuplicateID, &llvm::OptimizePHIsID, &llvm::StackColoringID,
            &llvm::LocalStackSlotAllocationID, &llvm::EarlyIfConverterID, &llvm::MachineCombinerID, &llvm::MachineCSEID,
            &llvm::MachineSinkingID, &llvm::PeepholeOptimizerID, &llvm::DeadMachineInstructionElimID,
            &llvm::MachineSchedulerID, &llvm::PostRASchedulerID, &llvm::StackSlotColoringID,
            &llvm::MachineCopyPropagationID, &llvm::PostRAMachineSinkingID, &llvm::ShrinkWrapID,
            &llvm::BranchFolderPassID, &llvm::TailDuplicateID, &llvm::MachineBlockPlacementID,
            &llvm::MachineLateInstrsCleanupID, &llvm::RenameIndependentSubregsID, &llvm::DetectDeadLanesID,
            &llvm::LiveDebugValuesID, &llvm::RemoveRedundantDebugValuesID, &llvm::FixupStatepointCallerSavedID,
            &llvm::StackMapLivenessID, &llvm::XRayInstrumentationID, &llvm::FEntryInserterID,
            &llvm::PatchableFunctionID, &llvm::FuncletLayoutID, &llvm::MachineSanitizerBinaryMetadataID);
    passes.add(&config);
    passes.add(information);
    passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
    passes.add(llvm::createScalarizeMaskedMemIntrinLegacyPass());
    config.addISelPrepare();
    COTANGENT_CHECK(!(config.*&Pipeline::addCoreISelPasses)());
    config.addMachinePasses();
    config.setInitialized();
    COTANGENT_CHECK(!machine.addAsmPrinter(passes, object, nullptr, llvm::CodeGenFileType::ObjectFile,
                                           information->getMMI().getContext()));
    passes.add(llvm::createFreeMachineFunctionPass());
  }
};

}  // namespace

struct LlvmJit::Implementation {
  llvm::orc::JITTargetMachineBuilder builder = host();
  std::unique_ptr<llvm::TargetMachine> machine = value_or_throw(builder.createTargetMachine());
  std::unique_ptr<llvm::orc::LLJIT> linker = make_linker(builder);
  int kernels = 0;

  std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context) const {
    auto module = std::make_unique<llvm::Module>("kernels", context);
    module->setDataLayout(linker->getDataLayout());
    module->setTargetTriple(linker->getTargetTriple().str());
    return module;
  }

  /// How much care is taken with instructions and registers.
  enum class Care { none, some, all };

  void compile(llvm::Module& module, Care care) {
    machine->setOptLevel(care == Care::none ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
    machine->setFastISel(care == Care::none);
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream stream(object);
    llvm::legacy::PassManager passes;
    if (care == Care::all) {
      COTANGENT_CHECK(!machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile, true));
    } else {
      Pipeline::add_to(passes, static_cast<llvm::LLVMTargetMachine&>(*machine), stream);
    }
    passes.run(module);
    check(linker->addObjectFile(std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false)));
  }
};

LlvmJit::LlvmJit() : implementation_(std::make_unique<Implementation>()) {}
LlvmJit::~LlvmJit() = default;

std::vector<LlvmJit::Code> LlvmJit::compile(std::span<const KernelPlan* const> plans, int lanes) {
  using Care = Implementation::Care;
  auto& linker = implementation_->linker;
  // Straight-line code needs no optimiser: its quick translation is as fast, and compiled three times faster.
  // A pass of a repeated kernel is executed many times, one waiting for the other: there the order of
  // instructions and every spilled register count, as long as there are enough of them.
  llvm::LLVMContext context;
  const auto straight = implementation_->new_module(context), loops = implementation_->new_module(context),
             repeated = implementation_->new_module(context);
  std::vector<std::string> names;
  for (const KernelPlan* plan : plans) {
    names.push_back(fmt::format("kernel_{}", implementation_->kernels++));
    const bool is_careful = plan->repeat && plan->parts.empty();
    auto& module = is_careful ? *repeated : plan->count == 1 && lanes == 1 ? *straight : *loops;
    emit_kernel(module, *plan, lanes, names.back());
  }
  if (!straight->empty()) implementation_->compile(*straight, Care::none);
  if (!loops->empty()) implementation_->compile(*loops, Care::some);
  if (!repeated->empty()) implementation_->compile(*repeated, Care::all);
  std::vector<Code> code;
  for (const auto& name : names) code.push_back(value_or_throw(linker->lookup(name)).toPtr<Code>());
  return code;
}

SeriesTable::Code LlvmJit::compile(const SeriesPlan& plan) {
  llvm::LLVMContext context;
  const auto module = implementation_->new_module(context);
  const std::string name = fmt::format("series_{}", implementation_->kernels++);
  emit_series(*module, plan, name);
  implementation_->compile(*module, Implementation::Care::some);
  return value_or_throw(implementation_->linker->lookup(name)).toPtr<SeriesTable::Code>();
}

}  // namespace cotangent
