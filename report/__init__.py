"""What people look at after a run: the Allure report. Reads what pytest and the system under test said, and judges nothing."""
