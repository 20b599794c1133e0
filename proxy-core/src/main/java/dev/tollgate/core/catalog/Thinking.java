package dev.tollgate.core.catalog;

/** Way in which a provider with a dialect other than OpenAI's is asked to let its model reason. */
public enum Thinking {
  /** As the model's name implies. */
  AUTO,
  /** With a budget of tokens. */
  BUDGET,
  /** With an effort; the model decides how much it reasons. */
  ADAPTIVE,
  /** The model is not asked to. */
  NONE
}
