// Pulsar's own client on a scalable topic that is split under it: keyed messages, a stream consumer, and transactions across a split.
// Arguments: the service URL, the admin URL and the name of a topic. Prints a line of JSON with what the consumer was given.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.Transaction;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.config.TransactionPolicy;
import org.apache.pulsar.client.api.v5.schema.Schema;

public class AcrossSplits {
    static final int KEYS = 8;
    static final Duration PATIENCE = Duration.ofSeconds(20);

    static String admin;
    static String topic;
    static Producer<String> producer;
    static final List<String> plain = new ArrayList<>();
    static final List<String> committed = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        admin = arguments[1] + "/admin/v2/scalable/public/default/" + arguments[2];
        topic = "topic://public/default/" + arguments[2];
        call("PUT", "?numInitialSegments=1");
        TransactionPolicy policy = TransactionPolicy.builder().timeout(Duration.ofMinutes(2)).build();
        try (PulsarClient client = PulsarClient.builder().serviceUrl(arguments[0]).transactionPolicy(policy).build()) {
            try (StreamConsumer<String> consumer = client.newStreamConsumer(Schema.string()).topic(topic).subscriptionName("readers")
                    .consumerName("reader").subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST).subscribe()) {
                producer = client.newProducer(Schema.string()).topic(topic).create();
                write(client);
                System.out.println(told(consumer));
                producer.close();
            }
        }
        System.exit(0); // some of its threads outlive the client
    }

    static void write(PulsarClient client) throws Exception {
        send(20);
        call("POST", "/split/0");
        send(20);
        Transaction commits = client.newTransaction();
        Transaction aborts = client.newTransaction();
        sendIn(commits, "before", committed);
        sendIn(aborts, "before", new ArrayList<>());
        call("POST", "/split/1");
        sendIn(commits, "after", committed);
        sendIn(aborts, "after", new ArrayList<>());
        commits.commit();
        aborts.abort();
        call("POST", "/merge/3/4");
        send(20);
    }

    static void send(int messages) throws Exception {
        for (int number = 0; number < messages; number++) {
            String value = "p-" + plain.size();
            producer.newMessage().key("k" + plain.size() % KEYS).value(value).send();
            plain.add(value);
        }
    }

    static void sendIn(Transaction transaction, String when, List<String> to) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            String value = (to == committed ? "c-" : "a-") + when + "-" + key;
            producer.newMessage().key("t" + key).value(value).transaction(transaction).send();
            to.add(value);
        }
    }

    static String told(StreamConsumer<String> consumer) throws Exception {
        Set<String> due = new HashSet<>(plain);
        due.addAll(committed);
        Map<String, List<String>> byKey = new HashMap<>();
        int again = 0;
        int aborted = 0;
        Message<String> last = null;
        while (!due.isEmpty()) {
            Message<String> message = consumer.receive(PATIENCE);
            if (message == null) {
                break;
            }
            last = message;
            boolean isAborted = message.value().startsWith("a-");
            aborted += isAborted ? 1 : 0;
            if (due.remove(message.value())) {
                byKey.computeIfAbsent(message.key().get(), key -> new ArrayList<>()).add(message.value());
            } else if (!isAborted) {
                again++; // its acknowledgement was on its way when the consumer of the segment was made a second time
            }
            consumer.acknowledgeCumulative(message.id()); // children are given when their parent is drained
        }
        String counts = "\"missing\": %d, \"again\": %d, \"aborted\": %d, ".formatted(due.size(), again, aborted);
        return "{" + counts + "\"out_of_order\": " + outOfOrder(byKey) + ", \"received\": " + (last != null) + "}";
    }

    static int outOfOrder(Map<String, List<String>> byKey) {
        List<String> sent = new ArrayList<>(plain);
        sent.addAll(committed);
        int found = 0;
        for (List<String> values : byKey.values()) {
            for (int place = 1; place < values.size(); place++) {
                found += sent.indexOf(values.get(place)) < sent.indexOf(values.get(place - 1)) ? 1 : 0;
            }
        }
        return found;
    }

    static void call(String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(admin + path)).method(method, HttpRequest.BodyPublishers.noBody()).build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IllegalStateException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
    }
}
