package dev.tollgate.core.dialect.bedrock;

/** Whose model it is, as far as its id says: what Converse has no word for differs by that. */
enum BedrockFamily {
  CLAUDE("top_k"),
  NOVA("topK"),
  /** From 2 on: it can be asked to reason. */
  NOVA_2("topK"),
  OPENAI(""),
  MISTRAL("top_k"),
  COHERE("k"),
  /** Whatever is behind a profile of the operator's, whose ARN does not tell. */
  PROFILE(""),
  OTHER("");

  private final String topK;

  BedrockFamily(String topK) {
    this.topK = topK;
  }

  static BedrockFamily of(String model) {
    if (model.contains("anthropic.claude")) {
      return CLAUDE;
    }
    if (model.contains("amazon.nova-2")) {
      return NOVA_2;
    }
    if (model.contains("amazon.nova")) {
      return NOVA;
    }
    if (model.contains("openai.gpt-oss")) {
      return OPENAI;
    }
    if (model.contains("mistral.")) {
      return MISTRAL;
    }
    if (model.contains("cohere.command")) {
      return COHERE;
    }
    return model.startsWith("arn:") && !model.contains("foundation-model/") ? PROFILE : OTHER;
  }

  /** Its name for {@code top_k}; empty: it has none. */
  String topK() {
    return topK;
  }
}
