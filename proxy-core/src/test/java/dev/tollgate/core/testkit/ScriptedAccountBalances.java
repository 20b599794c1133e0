package dev.tollgate.core.testkit;

import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.AccountBalances;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.tenant.ApiKey;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/** Account balances whose answers the test gives. */
public final class ScriptedAccountBalances implements AccountBalances {
  private final Queue<Question> questions = new ArrayDeque<>();

  private record Question(Window window, EventExecutor loop, Consumer<BalanceResult> answer) {}

  @Override
  public void query(ApiKey key, Window window, EventExecutor loop, Consumer<BalanceResult> answer) {
    questions.add(new Question(window, loop, answer));
  }

  /** Answers the oldest query. */
  public void respond(Map<ScopeKind, AccountBalance.ScopeBalance> sums) {
    Question question = questions.remove();
    answer(question, new BalanceResult.Known(new AccountBalance(question.window(), sums)));
  }

  /** Answers the oldest query as unavailable. */
  public void fail() {
    answer(questions.remove(), new BalanceResult.Unavailable("the books are shut"));
  }

  private static void answer(Question question, BalanceResult answer) {
    question.loop().execute(() -> question.answer().accept(answer));
  }

  public int unanswered() {
    return questions.size();
  }
}
