package dev.tollgate.server.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** What is seen in the syntax of a source: its size, its methods' sizes, its documentation. */
final class SourceRules {
  private static final int FILE_LINES_MAX = 500;
  private static final int METHOD_LINES_MAX = 60;

  /** Main sources may be longer than this in {@link #LONG_FILES_MAX} files only. */
  private static final int LONG_FILE_LINES = 400;

  private static final int LONG_FILES_MAX = 5;

  /** Parameters of a constructor, and components of a record, in the packages of the exchange. */
  private static final int PARAMETERS_MAX = 8;

  private static final String EXCHANGE = "/core/exchange/";

  /** The state machine of a request, which has to be read in one go. */
  private static final String HEART = "/exchange/Exchange.java";

  private SourceRules() {}

  static List<String> violations(Collection<TrackedFile> files) throws IOException {
    List<String> found = new ArrayList<>();
    for (TrackedFile file : files) {
      int lines = file.lines().size();
      if (file.isJava() && lines > FILE_LINES_MAX) {
        found.add(file.path() + " has " + lines + " lines, more than " + FILE_LINES_MAX);
      }
    }
    found.addAll(longFiles(files));
    List<Source> sources = files.stream().filter(TrackedFile::isJava).map(Source::new).toList();
    if (sources.isEmpty()) {
      return found;
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavacTask task =
        (JavacTask) compiler.getTask(null, null, _ -> {}, List.of("-proc:none"), null, sources);
    DocTrees trees = DocTrees.instance(task);
    for (CompilationUnitTree unit : task.parse()) {
      new Walk(unit, trees, found).scan(unit, null);
    }
    return found;
  }

  private static List<String> longFiles(Collection<TrackedFile> files) {
    List<String> found = new ArrayList<>();
    for (TrackedFile file : files) {
      if (file.isMainJava() && file.lines().size() > LONG_FILE_LINES) {
        found.add(file.path() + " has more than " + LONG_FILE_LINES + " lines");
      }
    }
    boolean isHeartLong = found.stream().anyMatch(path -> path.contains(HEART + " "));
    return found.size() > LONG_FILES_MAX || isHeartLong ? found : List.of();
  }

  /** One pass over a source. */
  private static final class Walk extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final CompilationUnitTree unit;
    private final DocTrees trees;
    private final List<String> found;
    private final String file;

    Walk(CompilationUnitTree unit, DocTrees trees, List<String> found) {
      this.unit = unit;
      this.trees = trees;
      this.found = found;
      this.file = unit.getSourceFile().toUri().getPath().substring(1);
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
      TreePath path = getCurrentPath();
      boolean topLevel = path.getParentPath().getLeaf() instanceof CompilationUnitTree;
      if (topLevel
          && file.contains("src/main/")
          && type.getModifiers().getFlags().contains(Modifier.PUBLIC)
          && trees.getDocComment(path) == null) {
        found.add(file + ": public type " + type.getSimpleName() + " has no Javadoc");
      }
      if (type.getKind() == Tree.Kind.RECORD) {
        long components =
            type.getMembers().stream()
                .filter(VariableTree.class::isInstance)
                .map(VariableTree.class::cast)
                .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                .count();
        checkParameters(type.getSimpleName().toString(), components);
      }
      return super.visitClass(type, null);
    }

    private void checkParameters(String name, long count) {
      if (file.contains("src/main/") && file.contains(EXCHANGE) && count > PARAMETERS_MAX) {
        found.add(file + ": " + name + " takes " + count + ", more than " + PARAMETERS_MAX);
      }
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
      if (method.getName().contentEquals("<init>")) {
        checkParameters("a constructor", method.getParameters().size());
      }
      long lines = line(endOf(method)) - line(startOf(method)) + 1;
      if (lines > METHOD_LINES_MAX) {
        found.add(
            file
                + ": method "
                + method.getName()
                + " has "
                + lines
                + " lines, more than "
                + METHOD_LINES_MAX);
      }
      return super.visitMethod(method, null);
    }

    private long startOf(Tree tree) {
      return trees.getSourcePositions().getStartPosition(unit, tree);
    }

    private long endOf(Tree tree) {
      return trees.getSourcePositions().getEndPosition(unit, tree);
    }

    private long line(long position) {
      return unit.getLineMap().getLineNumber(Math.max(0, position));
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final TrackedFile file;

    Source(TrackedFile file) {
      super(URI.create("checkout:///" + file.path()), JavaFileObject.Kind.SOURCE);
      this.file = file;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return file.text();
    }
  }
}
