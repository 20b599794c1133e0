package dev.tollgate.server.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing grows without a bound that has a name, a metric and an end. */
final class QueuesTest {
  private static final ClassDesc BACKLOG = ClassDesc.of("dev.tollgate.core.exchange.Backlog");

  private final Checkout checkout = Checkout.ofThisBuild();

  @Test
  void everyQueueIsInTheTable() throws Exception {
    assertThat(Queues.violations(checkout.classes())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(classes = {ArrayDeque.class, RedisClient.class})
  void aNewQueueIsSeen(Class<?> growing) throws Exception {
    ClassDesc queue = ClassDesc.of(growing.getName());
    requireSeen(
        builder ->
            builder.withMethodBody(
                "make",
                MethodTypeDesc.of(queue),
                ClassFile.ACC_STATIC,
                code -> code.new_(queue).areturn()));
  }

  @Test
  void anyNewCollectionThatAFieldKeepsIsSeen() throws Exception {
    for (Class<?> kind : List.of(HashMap.class, ArrayList.class, TreeSet.class)) {
      ClassDesc made = ClassDesc.of(kind.getName());
      requireSeen(
          builder ->
              builder
                  .withField("kept", ConstantDescs.CD_Object, ClassFile.ACC_STATIC)
                  .withMethodBody(
                      "make",
                      ConstantDescs.MTD_void,
                      ClassFile.ACC_STATIC,
                      code ->
                          code.new_(made)
                              .dup()
                              .invokespecial(made, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                              .putstatic(BACKLOG, "kept", ConstantDescs.CD_Object)
                              .return_()));
    }
  }

  private void requireSeen(Consumer<ClassBuilder> built) throws Exception {
    List<ClassModel> classes = new ArrayList<>(checkout.classes());
    classes.add(ClassFile.of().parse(ClassFile.of().build(BACKLOG, built)));
    assertThat(Queues.violations(classes))
        .singleElement()
        .asString()
        .startsWith("core/exchange/Backlog makes");
  }
}
