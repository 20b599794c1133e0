package dev.tollgate.core.testkit;

import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Standing;
import dev.tollgate.core.ledger.Standings;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.tenant.ApiKey;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/** Books that say what the test lets them say, when it does. */
public final class ScriptedBooks implements Standings {
  private final Queue<Question> questions = new ArrayDeque<>();

  private record Question(Window window, EventExecutor loop, Consumer<Answer> answer) {}

  @Override
  public void ask(ApiKey key, Window window, EventExecutor loop, Consumer<Answer> answer) {
    questions.add(new Question(window, loop, answer));
  }

  /** Answers the question that waits longest. */
  public void say(Map<ScopeKind, Standing.Sum> sums) {
    Question question = questions.remove();
    answer(question, new Answer.Known(new Standing(question.window(), sums)));
  }

  /** Has nothing to say to it. */
  public void fail() {
    answer(questions.remove(), new Answer.Unavailable("the books are shut"));
  }

  private static void answer(Question question, Answer answer) {
    question.loop().execute(() -> question.answer().accept(answer));
  }

  public int unanswered() {
    return questions.size();
  }
}
