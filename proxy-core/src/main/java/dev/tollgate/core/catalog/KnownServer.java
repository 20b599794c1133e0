package dev.tollgate.core.catalog;

import dev.tollgate.core.catalog.OpenAiQuirks.CallIds;
import dev.tollgate.core.catalog.OpenAiQuirks.Reasoning;
import java.util.Map;

/**
 * Service or server software with its own variant of OpenAI's chat completions, with its base URL
 * and deviations. Constants are data only, without code per server.
 */
public enum KnownServer {
  CEREBRAS(
      "https://api.cerebras.ai/v1",
      plain()
          .droppingFields(
              "frequency_penalty", "presence_penalty", "logit_bias", "store", "metadata")
          .droppingReplyMembers("name", "reasoning_content")
          .withReasoning(Reasoning.REASONING)),
  DEEPSEEK(
      "https://api.deepseek.com/v1",
      legacyMaxTokens()
          .droppingFields(
              "seed", "logit_bias", "parallel_tool_calls", "service_tier", "store", "metadata")
          .droppingMessageFields("refusal", "annotations", "audio", "reasoning_details")
          .withReasoningOfCalls()
          .withoutJsonSchema()),
  FIREWORKS(
      "https://api.fireworks.ai/inference/v1",
      legacyMaxTokens()
          .droppingFields("store")
          .droppingReplyMembers()
          .withReasoning(Reasoning.THINK_TAGS)),
  GROQ(
      "https://api.groq.com/openai/v1",
      plain()
          .droppingFields("logit_bias", "logprobs", "top_logprobs", "store", "metadata")
          .droppingReplyMembers("name", "reasoning_content")
          .withReasoning(Reasoning.REASONING)),
  LLAMACPP("", legacyMaxTokens(), true, Prefill.MESSAGE),
  MISTRAL(
      "https://api.mistral.ai/v1",
      plain()
          .renaming(Map.of("max_completion_tokens", "max_tokens", "seed", "random_seed"))
          .droppingFields(
              "logit_bias",
              "logprobs",
              "top_logprobs",
              "user",
              "service_tier",
              "store",
              "verbosity",
              "safety_identifier")
          .droppingReplyMembers("name", "reasoning", "reasoning_content")
          .withCallIds(CallIds.NINE_ALPHANUMERIC)
          .withoutUserAfterTool()
          .withReasoning(Reasoning.CONTENT_PARTS),
      false,
      Prefill.PREFIX),
  OPENROUTER("https://openrouter.ai/api/v1", OpenAiQuirks.NONE.withReasoning(Reasoning.REASONING)),
  PERPLEXITY(
      "https://api.perplexity.ai",
      legacyMaxTokens()
          .droppingFields(
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
          .withReasoning(Reasoning.THINK_TAGS)),
  TGI(
      "",
      legacyMaxTokens()
          .droppingFields(
              "parallel_tool_calls", "service_tier", "store", "metadata", "reasoning_effort")),
  TOGETHER(
      "https://api.together.xyz/v1",
      legacyMaxTokens()
          .droppingFields(
              "parallel_tool_calls", "top_logprobs", "service_tier", "store", "metadata")
          .withReasoning(Reasoning.REASONING)
          .imageApiStyle(ImageApiStyle.TOGETHER)),
  VLLM(
      "",
      legacyMaxTokens().withReasoning(Reasoning.REASONING),
      true,
      Prefill.CONTINUE_FINAL_MESSAGE),
  XAI(
      "https://api.x.ai/v1",
      OpenAiQuirks.NONE
          .droppingFields("frequency_penalty", "presence_penalty", "logit_bias", "service_tier")
          .imageApiStyle(ImageApiStyle.XAI)),
  ZAI(
      "https://api.z.ai/api/paas/v4",
      plain()
          .renaming(Map.of("max_completion_tokens", "max_tokens", "user", "user_id"))
          .droppingFields(
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
          .withoutJsonSchema());

  private final String baseUrl;

  @SuppressWarnings("ImmutableEnumChecker") // a record of copied lists
  private final OpenAiQuirks quirks;

  private final boolean streamOptions;
  private final Prefill prefill;

  KnownServer(String baseUrl, OpenAiQuirks quirks) {
    this(baseUrl, quirks, true, Prefill.NONE);
  }

  KnownServer(String baseUrl, OpenAiQuirks quirks, boolean streamOptions, Prefill prefill) {
    this.baseUrl = baseUrl;
    this.quirks = quirks;
    this.streamOptions = streamOptions;
    this.prefill = prefill;
  }

  private static OpenAiQuirks plain() {
    return OpenAiQuirks.NONE.withoutDeveloperRole().withoutAllowedTools();
  }

  private static OpenAiQuirks legacyMaxTokens() {
    return plain().renaming(Map.of("max_completion_tokens", "max_tokens"));
  }

  /** Returns the base URL of the API; empty means the software is self-hosted. */
  public String baseUrl() {
    return baseUrl;
  }

  public OpenAiQuirks quirks() {
    return quirks;
  }

  /** True if the server supports {@code stream_options}. */
  public boolean streamOptions() {
    return streamOptions;
  }

  /** Returns how the server is asked to continue an answer. */
  public Prefill prefill() {
    return prefill;
  }
}
