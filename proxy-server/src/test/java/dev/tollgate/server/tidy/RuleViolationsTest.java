package dev.tollgate.server.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.Annotation;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule of the house refuses a small example of what it forbids. */
final class RuleViolationsTest {
  private static final String MAIN = "m/src/main/java/p/";
  private static final String TEST = "m/src/test/java/p/";

  @ParameterizedTest
  @CsvSource({
    "core.id.A, core.money.B",
    "core.http.A, core.pipeline.B",
    "core.pipeline.A, server.settings.B",
    "server.settings.A, server.postgres.B",
    "server.postgres.A, mock.B",
    "server.postgres.session.A, server.postgres.B",
    "server.jobs.A, server.postgres.B",
    "server.settings.A, server.postgres.tenants.B",
    "core.dialect.A, core.dialect.openai.B",
    "mock.A, bench.B",
    "mock.media.A, mock.B",
    "bench.A, server.settings.B",
    "server.ops.A, server.wiring.B",
    "server.wiring.A, server.cli.B",
    "server.cli.A, server.ops.B"
  })
  void aPackageThatSeesWhatItMustNotIsRefused(String from, String to) {
    assertThat(PackageOrder.violations(List.of(classWithField(from, to))))
        .singleElement()
        .asString()
        .contains("must not see");
  }

  @ParameterizedTest
  @CsvSource({
    "core.money.A, core.id.B",
    "core.pipeline.A, core.exchange.B",
    "server.postgres.A, core.tenant.B",
    "mock.A, mock.media.B",
    "mock.A, core.json.B",
    "server.jobs.A, server.postgres.jobs.B",
    "server.postgres.A, server.postgres.session.B",
    "server.wiring.A, server.postgres.B",
    "server.cli.A, server.wiring.B",
    "server.cli.A, server.postgres.B"
  })
  void aPackageMaySeeWhatIsAboveIt(String from, String to) {
    assertThat(PackageOrder.violations(List.of(classWithField(from, to)))).isEmpty();
  }

  @Test
  void aPackageOutsideTheOrderIsRefused() {
    assertThat(PackageOrder.violations(List.of(classWithField("core.stuff.A", "core.id.B"))))
        .singleElement()
        .asString()
        .contains("not in the order");
  }

  @Test
  void aPackageOfTooManyFilesIsRefused() {
    List<ClassModel> classes =
        IntStream.rangeClosed(0, PackageOrder.FILES_MAX)
            .mapToObj(i -> classWithField("core.id.A" + i, "core.id.B"))
            .toList();
    assertThat(PackageOrder.violations(classes.subList(1, classes.size()))).isEmpty();
    assertThat(PackageOrder.violations(classes))
        .singleElement()
        .asString()
        .contains("core/id has 51 files");
  }

  @ParameterizedTest
  @CsvSource({
    "Doorbell.java, class Doorbell {}, has the word doorbell",
    "KeyLooks.java, class KeyLooks {}, has the word looks",
    "A.java, String A = \"tollgate_jobs_told_total\";, has the word told",
    "A.java, Logger log = null;, not LOG"
  })
  void aNameThatIsNoTermIsRefused(String name, String text, String problem) {
    assertThat(Vocabulary.violations(List.of(file(MAIN + name, text)), List.of()))
        .singleElement()
        .asString()
        .contains(problem);
  }

  @Test
  void aTypeNameThatAModuleHasTwiceIsRefused() {
    List<TrackedFile> files =
        List.of(
            file("m/src/main/java/p/A.java", ""),
            file("n/src/main/java/p/A.java", ""),
            file("m/src/main/java/q/A.java", ""));
    assertThat(Vocabulary.violations(files.subList(0, 2), List.of())).isEmpty();
    assertThat(Vocabulary.violations(files, List.of()))
        .singleElement()
        .asString()
        .contains("another");
  }

  @Test
  void aCommandOfAnotherNameIsRefused() {
    assertThat(Vocabulary.violations(List.of(), List.of(command("server.cli.Serve")))).hasSize(1);
    assertThat(Vocabulary.violations(List.of(), List.of(command("server.cli.ServeCommand"))))
        .isEmpty();
  }

  @Test
  void bannedPhrasesAreCounted() {
    List<TrackedFile> files =
        List.of(
            file(MAIN + "A.java", "// Nobody is told.\n// A lease lets go of it."),
            file(TEST + "ATest.java", "// nobody"),
            file(plain("doc~s/page.md"), "Whoever asks."));
    assertThat(Vocabulary.phrases(files)).hasSize(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "record A(int a, int b, int c, int d, int e, int f, int g, int h, int i) {}",
        "class A { A(int a, int b, int c, int d, int e, int f, int g, int h, int i) {} }"
      })
  void aConstructorOfTheExchangeWithTooManyParametersIsRefused(String text) throws Exception {
    String path = "m/src/main/java/core/exchange/A.java";
    assertThat(SourceRules.violations(List.of(file(path, text)))).hasSize(1);
    assertThat(SourceRules.violations(List.of(file(path, text.replace(", int i", ""))))).isEmpty();
    assertThat(SourceRules.violations(List.of(file(MAIN + "A.java", text)))).isEmpty();
  }

  @Test
  void moreLongFilesThanAllowedAreRefused() throws Exception {
    List<TrackedFile> files =
        IntStream.rangeClosed(1, 6)
            .mapToObj(i -> file(MAIN + "A" + i + ".java", "class A {}" + "\n".repeat(401)))
            .toList();
    assertThat(SourceRules.violations(files.subList(0, 5))).isEmpty();
    assertThat(SourceRules.violations(files)).hasSize(6);
    TrackedFile heart =
        file("m/src/main/java/exchange/Exchange.java", "class A {}" + "\n".repeat(401));
    assertThat(SourceRules.violations(List.of(heart))).hasSize(1);
  }

  @Test
  void twoPackagesThatSeeEachOtherAreRefused() {
    assertThat(
            PackageOrder.violations(
                List.of(
                    classWithField("server.settings.value.A", "server.settings.yaml.B"),
                    classWithField("server.settings.yaml.B", "server.settings.value.A"))))
        .containsExactly("server/settings/value and server/settings/yaml see each other");
  }

  @ParameterizedTest
  @CsvSource({
    "java.lang.System, nanoTime",
    "java.lang.System, getenv",
    "java.lang.Thread, ofVirtual",
    "java.time.Instant, now",
    "java.util.concurrent.Executors, newCachedThreadPool",
    "java.nio.file.Files, exists",
    "java.sql.DriverManager, println",
    "com.zaxxer.hikari.HikariDataSource, close"
  })
  void theCoreMustNotCallThese(String owner, String method) {
    Consumer<CodeBuilder> call =
        code ->
            code.invokestatic(
                ClassDesc.of(owner), method, MethodTypeDesc.of(ConstantDescs.CD_Object));
    assertThat(ForbiddenReferences.violations(List.of(classWithCode("core.id.A", call))))
        .isNotEmpty();
    assertThat(ForbiddenReferences.violations(List.of(classWithCode("server.ops.A", call))))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "java.lang.System, currentTimeMillis",
    "java.time.InstantSource, system",
    "java.time.Instant, now"
  })
  void onlyThoseWhoSayWhyReadTheClockOnTheWall(String owner, String method) {
    Consumer<CodeBuilder> call =
        code ->
            code.invokestatic(
                ClassDesc.of(owner), method, MethodTypeDesc.of(ConstantDescs.CD_Object));
    assertThat(WallClocks.violations(List.of(classWithCode("server.ops.A", call)))).hasSize(1);
    assertThat(WallClocks.violations(List.of(classWithCode("server.cli.A", call)))).isEmpty();
    assertThat(WallClocks.violations(List.of(classWithCode("server.ledger.LeaseClient", call))))
        .isEmpty();
  }

  @Test
  void onlyTheCommandLinePrints() {
    Consumer<CodeBuilder> print =
        code ->
            code.getstatic(
                ClassDesc.of("java.lang.System"), "out", ClassDesc.of("java.io.PrintStream"));
    assertThat(ForbiddenReferences.violations(List.of(classWithCode("server.ops.A", print))))
        .hasSize(1);
    assertThat(ForbiddenReferences.violations(List.of(classWithCode("server.cli.A", print))))
        .isEmpty();
  }

  @Test
  void aLongFileIsRefused() throws Exception {
    assertThat(
            SourceRules.violations(List.of(file(MAIN + "A.java", "class A {}" + "\n".repeat(500)))))
        .isEmpty();
    assertThat(
            SourceRules.violations(
                List.of(file(MAIN + "A.java", "class A {\n}" + "\n".repeat(501)))))
        .hasSize(1);
  }

  @Test
  void aLongMethodIsRefused() throws Exception {
    String sixty = "class A {\n  A() {" + "\n".repeat(59) + "}\n}\n";
    String sixtyOne = "class A {\n  A() {" + "\n".repeat(60) + "}\n}\n";
    assertThat(SourceRules.violations(List.of(file(TEST + "A.java", sixty)))).isEmpty();
    assertThat(SourceRules.violations(List.of(file(TEST + "A.java", sixtyOne)))).hasSize(1);
  }

  @Test
  void aPublicTypeWithoutJavadocIsRefused() throws Exception {
    assertThat(SourceRules.violations(List.of(file(MAIN + "A.java", "public record A() {}"))))
        .singleElement()
        .asString()
        .contains("no Javadoc");
    assertThat(
            SourceRules.violations(
                List.of(file(MAIN + "A.java", "/** An A. */\npublic record A() {}"))))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "notes.md, // TO~DO later",
    "notes.md, FIX~ME",
    "notes.md, see /wo~rk/main",
    "package-lock.json, https://regi~stry.example.org/x.tgz",
    "pom.xml, <repos~itory>",
    "x/src/main/java/A.java, import java.util.~*;",
    "x/src/test/java/ATest.java, Thread.sle~ep(10);",
    "x/src/test/java/ATest.java, TimeUnit.SECONDS.sle~ep(1);",
    "x/src/test/java/ATest.java, @Dis~abled",
    "x/src/test/java/ATest.java, import org.moc~kito.Mock;",
    "x/src/test/java/ATest.java, System.o~ut.println();"
  })
  void aFileWithThisTextIsRefused(String path, String text) {
    List<TrackedFile> files =
        List.of(
            file(path, text.replace("~", "")),
            file("x/src/main/java/package-info.java", "@NullMarked"),
            file("x/src/test/java/package-info.java", "@NullMarked"));
    assertThat(Hygiene.violations(files)).singleElement().asString().startsWith(path);
  }

  @Test
  void aBigFileIsRefused() {
    assertThat(Hygiene.violations(List.of(TrackedFile.of("a.bin", new byte[1024 * 1024]))))
        .isEmpty();
    assertThat(Hygiene.violations(List.of(TrackedFile.of("a.bin", new byte[1024 * 1024 + 1]))))
        .hasSize(1);
  }

  @Test
  void aVagueNameIsRefused() {
    List<TrackedFile> files =
        List.of(file(MAIN + "KeyHelper.java", ""), file(MAIN + "package-info.java", "@NullMarked"));
    assertThat(Hygiene.violations(files)).hasSize(1);
  }

  @Test
  void aPackageWithoutNullMarkedIsRefused() {
    TrackedFile test = file(TEST + "ATest.java", "");
    TrackedFile marked = file(MAIN + "package-info.java", "@NullMarked package p;");
    TrackedFile unmarked = file(MAIN + "package-info.java", "package p;");
    assertThat(Hygiene.violations(List.of(test, marked))).isEmpty();
    assertThat(Hygiene.violations(List.of(test, unmarked))).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "A.java, // doc~s/absent.md",
    "A.java, // (doc~s/page.md#absent)",
    "README.md, see [this](absent.md)",
    "README.md, see [this](doc~s/page.md#absent)",
    "doc~s/b.md, see [this](page.md#absent)",
    "doc~s/b.md, see [this](../absent)",
    "doc~s/b.md, see [this](#absent)",
    "A.java, // DECI~SIONS 7",
    "A.sql, -- see SP~EC 4.1",
    "A.java, ' * (REQUIRE~MENTS\n * H9)'"
  })
  void aReferenceToNothingIsRefused(String path, String text) {
    assertThat(references(path, text)).singleElement().asString().startsWith(plain(path) + ":1 ");
  }

  @ParameterizedTest
  @CsvSource({
    "A.java, // doc~s/page.md#one-rule and doc~s/page.md#one-rule-1.",
    "README.md, see [this](doc~s/page.md#of-a-b-and-a-link) and [that](doc~s)",
    "doc~s/b.md, see [this](page.md) and [that](../doc~s/b.md) and [more](https://example.org/x#y)",
    "doc~s/b.md, '```\n[code](absent.md)\n```'",
    "A.java, // a SP~EC and 3 DECI~SIONS"
  })
  void aReferenceThatResolvesIsAccepted(String path, String text) {
    assertThat(references(path, text)).isEmpty();
  }

  private static List<String> references(String path, String text) {
    String page = "# Page\n\n## One rule\n\n## One rule\n\n## Of `a b`, and a [link](page.md)\n";
    return DocReferences.violations(
        List.of(file(plain(path), plain(text)), file(plain("doc~s/page.md"), page)));
  }

  private static String plain(String text) {
    return text.replace("~", "");
  }

  private static TrackedFile file(String path, String text) {
    return TrackedFile.of(path, text);
  }

  private static ClassModel classWithField(String name, String fieldType) {
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of("dev.tollgate." + name),
                type -> type.withField("field", ClassDesc.of("dev.tollgate." + fieldType), 0));
    return ClassFile.of().parse(bytes);
  }

  private static ClassModel command(String name) {
    var command = Annotation.of(ClassDesc.of("picocli.CommandLine$Command"));
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of("dev.tollgate." + name),
                type -> type.with(RuntimeVisibleAnnotationsAttribute.of(command)));
    return ClassFile.of().parse(bytes);
  }

  private static ClassModel classWithCode(String name, Consumer<CodeBuilder> code) {
    byte[] bytes =
        ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
            .build(
                ClassDesc.of("dev.tollgate." + name),
                type ->
                    type.withMethodBody(
                        "run",
                        MethodTypeDesc.of(ConstantDescs.CD_void),
                        ClassFile.ACC_STATIC,
                        body -> {
                          code.accept(body);
                          body.pop().return_();
                        }));
    return ClassFile.of().parse(bytes);
  }
}
