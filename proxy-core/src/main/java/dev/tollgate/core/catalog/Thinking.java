package dev.tollgate.core.catalog;

/** How a provider that does not speak OpenAI is asked to think before it answers. */
public enum Thinking {
  /** As its name of the model says that it should be. */
  AUTO,
  /** With a number of tokens. */
  BUDGET,
  /** As much as it sees fit, under an effort. */
  ADAPTIVE,
  /** It is not. */
  NONE
}
