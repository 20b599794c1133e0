package dev.tollgate.core.catalog;

import dev.tollgate.core.catalog.Deviations.CallIds;
import dev.tollgate.core.catalog.Deviations.Reasoning;
import java.util.Map;

/** Servers that speak OpenAI's chat completions in their own way: data, and no code for any. */
public enum KnownServer {
  CEREBRAS(
      "https://api.cerebras.ai/v1",
      plain()
          .refusing("frequency_penalty", "presence_penalty", "logit_bias", "store", "metadata")
          .refusingInMessages(
              "name", "refusal", "annotations", "audio", "reasoning_content", "reasoning_details")
          .thinking(Reasoning.REASONING)),
  DEEPSEEK(
      "https://api.deepseek.com/v1",
      shortBound()
          .refusing(
              "seed", "logit_bias", "parallel_tool_calls", "service_tier", "store", "metadata")
          .refusingInMessages("refusal", "annotations", "audio", "reasoning_details")
          .withoutSchema()),
  FIREWORKS(
      "https://api.fireworks.ai/inference/v1",
      shortBound()
          .refusing("store")
          .refusingInMessages("refusal", "annotations", "audio", "reasoning_details")
          .thinking(Reasoning.THINK_TAGS)),
  GROQ(
      "https://api.groq.com/openai/v1",
      plain()
          .refusing("logit_bias", "logprobs", "top_logprobs", "store", "metadata")
          .refusingInMessages(
              "name", "refusal", "annotations", "audio", "reasoning_content", "reasoning_details")
          .thinking(Reasoning.REASONING)),
  LLAMACPP("", plain(), true, Prefill.MESSAGE),
  MISTRAL(
      "https://api.mistral.ai/v1",
      plain()
          .renaming(Map.of("max_completion_tokens", "max_tokens", "seed", "random_seed"))
          .refusing(
              "logit_bias",
              "logprobs",
              "top_logprobs",
              "user",
              "service_tier",
              "store",
              "verbosity",
              "safety_identifier")
          .refusingInMessages(
              "name",
              "refusal",
              "annotations",
              "audio",
              "reasoning",
              "reasoning_content",
              "reasoning_details")
          .calling(CallIds.NINE_ALPHANUMERIC)
          .thinking(Reasoning.CONTENT_PARTS),
      false,
      Prefill.PREFIX),
  OPENROUTER("https://openrouter.ai/api/v1", Deviations.NONE.thinking(Reasoning.REASONING)),
  PERPLEXITY(
      "https://api.perplexity.ai",
      shortBound()
          .refusing(
              "tools",
              "tool_choice",
              "parallel_tool_calls",
              "seed",
              "logit_bias",
              "logprobs",
              "top_logprobs",
              "user",
              "service_tier",
              "store",
              "metadata")
          .thinking(Reasoning.THINK_TAGS)),
  TGI(
      "",
      shortBound()
          .refusing(
              "parallel_tool_calls", "service_tier", "store", "metadata", "reasoning_effort")),
  TOGETHER(
      "https://api.together.xyz/v1",
      shortBound()
          .refusing("parallel_tool_calls", "top_logprobs", "service_tier", "store", "metadata")
          .thinking(Reasoning.REASONING)
          .drawing(Drawing.TOGETHER)),
  VLLM("", plain().thinking(Reasoning.REASONING), true, Prefill.CONTINUE_FINAL_MESSAGE),
  XAI(
      "https://api.x.ai/v1",
      Deviations.NONE.refusing("logit_bias", "service_tier").drawing(Drawing.XAI)),
  ZAI(
      "https://api.z.ai/api/paas/v4",
      plain()
          .renaming(Map.of("max_completion_tokens", "max_tokens", "user", "user_id"))
          .refusing(
              "seed",
              "logit_bias",
              "logprobs",
              "top_logprobs",
              "frequency_penalty",
              "presence_penalty",
              "parallel_tool_calls",
              "service_tier",
              "store",
              "metadata")
          .withoutSchema());

  private final String address;

  @SuppressWarnings("ImmutableEnumChecker") // a record of copied lists
  private final Deviations deviations;

  private final boolean streamOptions;
  private final Prefill prefill;

  KnownServer(String address, Deviations deviations) {
    this(address, deviations, true, Prefill.NONE);
  }

  KnownServer(String address, Deviations deviations, boolean streamOptions, Prefill prefill) {
    this.address = address;
    this.deviations = deviations;
    this.streamOptions = streamOptions;
    this.prefill = prefill;
  }

  private static Deviations plain() {
    return Deviations.NONE.withoutDeveloper();
  }

  private static Deviations shortBound() {
    return plain().renaming(Map.of("max_completion_tokens", "max_tokens"));
  }

  /** Where its API is; empty: wherever somebody runs it. */
  public String address() {
    return address;
  }

  public Deviations deviations() {
    return deviations;
  }

  /** Whether it understands these. */
  public boolean streamOptions() {
    return streamOptions;
  }

  /** How it is asked to continue an answer. */
  public Prefill prefill() {
    return prefill;
  }
}
