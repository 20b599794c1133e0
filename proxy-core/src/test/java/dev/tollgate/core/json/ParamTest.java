package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Paths in the form that clients write. */
class ParamTest {
  @Test
  void pathsReadAsClientsWriteThem() {
    Param messages = Param.of("messages");
    assertThat(messages).hasToString("messages");
    assertThat(messages.at(2).dot("role")).hasToString("messages[2].role");
    assertThat(Param.of("logit_bias").dot("50256")).hasToString("logit_bias.50256");
    assertThat(Param.of("a").at(0).at(1).dot("b")).hasToString("a[0][1].b");
    assertThat(messages.at(3)).hasToString("messages[3]");
  }

  @Test
  void aPathHasABeginning() {
    Param path = Param.of("tools").at(12).dot("function");
    assertThat(path.beginning(9)).isEqualTo("tools[12]");
    assertThat(path.beginning(8)).isEqualTo("tools[12");
    assertThat(path.beginning(18)).isEqualTo(path.toString()).isEqualTo("tools[12].function");
  }
}
