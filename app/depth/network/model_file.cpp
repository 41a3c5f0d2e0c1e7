#include "app/depth/network/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/half.h"
#include "filters/nesting.h"

namespace scanlens {
namespace {

// Numbers of fields, from ONNX's onnx.proto, which never change.
namespace model {
enum : std::uint32_t { kGraph = 7, kMetadata = 14, kFunction = 25 };
}
namespace graph {
enum : std::uint32_t { kNode = 1, kInitializer = 5, kInput = 11, kSparse = 15 };
}
namespace node {
enum : std::uint32_t { kInput = 1, kOutput = 2, kOperator = 4, kAttribute = 5 };
}
namespace attribute {
enum : std::uint32_t { kTensor = 5, kGraph = 6, kTensors = 10, kGraphs = 11, kSparse = 22, kSparses = 23 };
}
namespace tensor {
enum : std::uint32_t { kType = 2, kFloats = 4, kName = 8, kRaw = 9, kExternal = 13 };
}
constexpr std::uint32_t kFunctionNode = 7, kKey = 1, kValue = 2, kName = 1, kSparseIndices = 2;
constexpr std::uint64_t kFloat = 1, kHalf = 10;

constexpr std::size_t kMostFiles = 1000;  ///< of weights
constexpr std::size_t kChannels = 3;

class Walk {
 public:
  explicit Walk(const ProtoFile& file) : file_(file) {}

  ModelFacts result() && {
    bool has_graph = false;
    each(file_.whole(), [&](const ProtoField& field) {
      if (!field.bytes) return;
      if (field.number == model::kMetadata) {
        const auto [key, value] = pair(*field.bytes);
        facts_.metadata[key] = value;
      } else if (field.number == model::kFunction) {
        each(*field.bytes, [&](const ProtoField& in) {
          if (in.number == kFunctionNode && in.bytes) take_node(*in.bytes, false, 0);
        });
      } else if (field.number == model::kGraph) {
        has_graph = true;
        take_graph(*field.bytes, 0);
      }
    });
    if (!has_graph) file_.refuse("no ONNX model: it holds no graph");
    return std::move(facts_);
  }

 private:
  template <class Take>
  void each(ProtoSpan message, const Take& take) const {
    while (const std::optional<ProtoField> field = file_.next(message)) take(*field);
  }

  std::pair<std::string, std::string> pair(const ProtoSpan& message) const {
    constexpr std::size_t kMostText = 1 << 20;
    std::pair<std::string, std::string> result;
    each(message, [&](const ProtoField& field) {
      if (!field.bytes) return;
      if (field.number == kKey) result.first = file_.text(*field.bytes);
      if (field.number == kValue) result.second = file_.text(*field.bytes, kMostText);
    });
    return result;
  }

  void take_graph(const ProtoSpan& message, int depth) {
    if (depth > kMostNesting) file_.refuse("damaged ONNX model: graphs within graphs without end");
    const bool outermost = depth == 0;
    std::vector<std::string> inputs;
    // Nodes come first in the file, and what they refer to behind them.
    each(message, [&](const ProtoField& field) {
      if (!field.bytes) return;
      if (field.number == graph::kInitializer) take_tensor(*field.bytes);
      if (field.number == graph::kSparse) take_sparse(*field.bytes);
      if (outermost && field.number == graph::kInput)
        each(*field.bytes, [&](const ProtoField& in) {
          if (in.number == kName && in.bytes) inputs.push_back(file_.text(*in.bytes));
        });
    });
    if (outermost) {
      std::erase_if(inputs, [&](const std::string& name) { return initializers_.contains(name); });
      images_.insert(inputs.begin(), inputs.end());
      facts_.inputs = inputs;
    }
    each(message, [&](const ProtoField& field) {
      if (field.number == graph::kNode && field.bytes) take_node(*field.bytes, outermost, depth);
    });
  }

  void take_sparse(const ProtoSpan& message) {
    each(message, [&](const ProtoField& field) {
      if (field.bytes && field.number <= kSparseIndices) take_tensor(*field.bytes);
    });
  }

  /// Notes a tensor's name, the files that it is in, and its greatest value where it has one for each colour
  /// at most.
  std::optional<float> take_tensor(const ProtoSpan& message) {
    std::uint64_t type = 0;
    std::string name;
    ProtoSpan raw;
    each(message, [&](const ProtoField& field) {
      if (field.number == tensor::kType && !field.bytes) type = field.value;
      if (!field.bytes) return;
      if (field.number == tensor::kName) name = file_.text(*field.bytes);
      if (field.number == tensor::kRaw || field.number == tensor::kFloats) raw = *field.bytes;
      if (field.number == tensor::kExternal) {
        const auto [key, value] = pair(*field.bytes);
        if (key != "location") return;
        facts_.external.insert(value);
        if (facts_.external.size() > kMostFiles) file_.refuse("its weights lie in too many files");
      }
    });
    const std::optional<float> greatest = greatest_of(raw, type);
    initializers_.insert(name);
    if (greatest) constants_[name] = *greatest;
    return greatest;
  }

  std::optional<float> greatest_of(const ProtoSpan& raw, std::uint64_t type) const {
    const std::size_t bytes = type == kHalf ? sizeof(Half) : sizeof(float);
    if ((type != kFloat && type != kHalf) || raw.size() < bytes || raw.size() > kChannels * bytes ||
        raw.size() % bytes != 0)
      return std::nullopt;
    const std::string text = file_.text(raw);
    float greatest = 0;
    for (std::size_t at = 0; at < text.size(); at += bytes) {
      float value = 0;
      if (type == kHalf) {
        Half half;
        std::memcpy(&half, text.data() + at, sizeof half);
        value = static_cast<float>(half);
      } else {
        std::memcpy(&value, text.data() + at, sizeof value);
      }
      greatest = std::max(greatest, std::abs(value));
    }
    return greatest;
  }

  void take_node(const ProtoSpan& message, bool outermost, int depth) {
    std::string name;
    std::vector<std::string> inputs, outputs;
    std::optional<float> constant;
    each(message, [&](const ProtoField& field) {
      if (!field.bytes) return;
      if (field.number == node::kAttribute) {
        const std::optional<float> value = take_attribute(*field.bytes, depth);
        if (value) constant = value;
      }
      if (!outermost) return;
      if (field.number == node::kOperator) name = file_.text(*field.bytes);
      if (field.number == node::kInput) inputs.push_back(file_.text(*field.bytes));
      if (field.number == node::kOutput) outputs.push_back(file_.text(*field.bytes));
    });
    if (!outermost) return;
    if (name == "Constant" && constant && !outputs.empty()) constants_[outputs[0]] = *constant;
    if (inputs.empty()) return;
    if ((name == "Cast" || name == "Identity") && images_.contains(inputs[0]))
      images_.insert(outputs.begin(), outputs.end());
    if (inputs.size() != 2 || facts_.inputs.size() != 1 || facts_.normalises) return;
    for (const int image : {0, 1}) {
      const auto found = constants_.find(inputs[static_cast<std::size_t>(1 - image)]);
      if (images_.contains(inputs[static_cast<std::size_t>(image)]) && found != constants_.end())
        facts_.normalises = scale_by(name, found->second);
    }
  }

  /// Returns the scale that a first step shows, such as image - 0.485 or image / 255.
  static std::optional<PixelScale> scale_by(const std::string& step, float constant) {
    constexpr float kMostOfUnits = 2, kLeastFactorOfUnits = 0.1f;
    if (step == "Sub" || step == "Add" || step == "Div")
      return constant > kMostOfUnits ? PixelScale::bytes : PixelScale::unit;
    if (step == "Mul") return constant < kLeastFactorOfUnits ? PixelScale::bytes : PixelScale::unit;
    return std::nullopt;
  }

  /// Returns the value of a small tensor.
  std::optional<float> take_attribute(const ProtoSpan& message, int depth) {
    std::optional<float> value;
    each(message, [&](const ProtoField& field) {
      if (!field.bytes) return;
      if (field.number == attribute::kTensor || field.number == attribute::kTensors)
        value = take_tensor(*field.bytes);
      if (field.number == attribute::kSparse || field.number == attribute::kSparses)
        take_sparse(*field.bytes);
      if (field.number == attribute::kGraph || field.number == attribute::kGraphs)
        take_graph(*field.bytes, depth + 1);
    });
    return value;
  }

  const ProtoFile& file_;
  ModelFacts facts_;
  std::set<std::string> initializers_, images_;
  std::map<std::string, float> constants_;
};

bool begins_with(const ProtoFile& file, std::string_view magic) {
  return file.whole().end >= magic.size() && file.text({0, magic.size()}) == magic;
}

}  // namespace

ModelFacts model_facts(const ProtoFile& file) {
  if (begins_with(file, "PK\x03\x04"))
    file.refuse("no ONNX model but a ZIP archive, as PyTorch writes; export the network as ONNX");
  if (begins_with(file, "version https://git-lfs"))
    file.refuse("no ONNX model but a pointer of Git LFS; `git lfs pull` gets the file itself");
  // ir_version, a small number, is what every exporter writes first.
  constexpr std::string_view kFirstTag = "\x08";
  if (!begins_with(file, kFirstTag)) file.refuse("no ONNX model");
  return Walk(file).result();
}

}  // namespace scanlens
