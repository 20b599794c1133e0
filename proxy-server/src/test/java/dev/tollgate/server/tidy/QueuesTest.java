package dev.tollgate.server.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing grows without a bound that has a name, a metric and an end. */
final class QueuesTest {
  private final Checkout checkout = Checkout.ofThisBuild();

  @Test
  void everyQueueIsInTheTable() throws Exception {
    assertThat(Queues.violations(classes())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(classes = {ArrayDeque.class, RedisClient.class})
  void aNewQueueIsSeen(Class<?> growing) throws Exception {
    List<ClassModel> classes = new ArrayList<>(classes());
    ClassDesc queue = ClassDesc.of(growing.getName());
    byte[] made =
        ClassFile.of()
            .build(
                ClassDesc.of("dev.tollgate.core.exchange.Backlog"),
                builder ->
                    builder.withMethodBody(
                        "make",
                        MethodTypeDesc.of(queue),
                        ClassFile.ACC_STATIC,
                        code -> code.new_(queue).areturn()));
    classes.add(ClassFile.of().parse(made));

    assertThat(Queues.violations(classes))
        .singleElement()
        .asString()
        .startsWith("core/exchange/Backlog makes");
  }

  private List<ClassModel> classes() throws Exception {
    List<ClassModel> classes = new ArrayList<>(checkout.classes("proxy-core"));
    classes.addAll(checkout.classes("proxy-server"));
    return classes;
  }
}
