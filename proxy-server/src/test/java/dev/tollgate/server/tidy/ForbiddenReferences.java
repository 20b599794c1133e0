package dev.tollgate.server.tidy;

import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What some classes must not use: the core has no threads, clocks, files, environment or SQL of its
 * own, and only the command line prints.
 */
final class ForbiddenReferences {
  private static final String SYSTEM = "java/lang/System";

  private static final List<String> CORE_CLASSES =
      List.of(
          "java/sql/",
          "javax/sql/",
          "io/lettuce/",
          "com/zaxxer/",
          "org/postgresql/",
          "java/nio/file/",
          "java/io/File",
          "java/io/RandomAccessFile",
          "java/util/concurrent/Executors",
          "java/util/concurrent/ForkJoinPool",
          "java/util/Timer");

  private static final Set<String> CORE_MEMBERS =
      Set.of(
          SYSTEM + ".getenv",
          SYSTEM + ".nanoTime",
          SYSTEM + ".currentTimeMillis",
          "java/lang/Thread.<init>",
          "java/lang/Thread.ofVirtual",
          "java/lang/Thread.ofPlatform",
          "java/lang/Thread.startVirtualThread",
          "java/lang/Thread.sleep",
          "java/time/Clock.systemUTC",
          "java/time/InstantSource.system");

  private static final Set<String> PRINTING =
      Set.of(SYSTEM + ".out", SYSTEM + ".err", "java/lang/Throwable.printStackTrace");

  private ForbiddenReferences() {}

  static List<String> violations(Collection<ClassModel> classes) {
    Set<String> found = new TreeSet<>();
    for (ClassModel model : classes) {
      String name = model.thisClass().asInternalName();
      if (name.startsWith("dev/tollgate/core/")) {
        collect(model, ForbiddenReferences::isForbiddenInCore, found);
      }
      if (!name.startsWith("dev/tollgate/server/cli/")) {
        collect(model, ForbiddenReferences::isPrinting, found);
      }
    }
    return List.copyOf(found);
  }

  private static void collect(ClassModel model, Predicate<PoolEntry> rule, Set<String> found) {
    for (PoolEntry entry : model.constantPool()) {
      if (rule.test(entry)) {
        found.add(model.thisClass().asInternalName() + " must not use " + display(entry));
      }
    }
  }

  private static boolean isForbiddenInCore(PoolEntry entry) {
    return switch (entry) {
      case ClassEntry type -> CORE_CLASSES.stream().anyMatch(type.asInternalName()::startsWith);
      case MemberRefEntry member -> CORE_MEMBERS.contains(display(member)) || readsClock(member);
      default -> false;
    };
  }

  /** {@code now()} and {@code now(zone)} of java.time; with a clock passed in it is fine. */
  private static boolean readsClock(MemberRefEntry member) {
    return member.owner().asInternalName().startsWith("java/time/")
        && member.name().equalsString("now")
        && !member.type().stringValue().startsWith("(Ljava/time/Clock;)");
  }

  private static boolean isPrinting(PoolEntry entry) {
    return entry instanceof MemberRefEntry member
        && (PRINTING.contains(display(member))
            || (member.name().equalsString("printStackTrace")
                && member.type().equalsString("()V")));
  }

  private static String display(PoolEntry entry) {
    return switch (entry) {
      case ClassEntry type -> type.asInternalName();
      case MemberRefEntry member ->
          member.owner().asInternalName() + "." + member.name().stringValue();
      default -> entry.toString();
    };
  }
}
